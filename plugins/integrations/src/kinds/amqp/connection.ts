import type { ChannelModel, ConfirmChannel, SocketOptions } from 'amqplib'
import type { OutboundTls } from '@svc/outbound/contract'
import type { Asking } from '../../auth/oauth/endpoint.ts'
import { Refused } from '../broker/attempt.ts'
import type { Opened } from '../broker/link.ts'
import type { Broker } from '../broker/place.ts'

/** A message as it is published. */
export interface AmqpMessage {
  readonly exchange: string
  readonly routingKey: string
  readonly headers: Readonly<Record<string, string | number | boolean>>
  readonly content: string
  readonly contentType: string
  readonly persistent: boolean
  readonly mandatory: boolean
}

/** How connections to a broker of AMQP are made. */
export interface AmqpTerms {
  readonly vhost: string | undefined
  readonly heartbeatSeconds: number
}

/** A connection with a channel on which the broker confirms what it has taken. */
export interface AmqpConnection extends Opened {
  /** Resolves once the broker has taken it; throws Refused where no queue does. */
  publish(messageId: string, message: AmqpMessage, now: number): Promise<void>
}

/** Opens a connection on which the broker confirms. Throws an OutboundError, and what the broker says. */
export async function openAmqp(broker: Broker, terms: AmqpTerms, asking: Asking): Promise<AmqpConnection> {
  const model = await connectAmqp(broker, terms, asking)
  const over = new Promise((resolve) => {
    model.on('close', resolve)
    model.on('error', resolve)
  })
  return connectionOf(model, await model.createConfirmChannel(), over)
}

/** Connects to where it was judged. Throws an OutboundError, and what the broker says. */
export async function connectAmqp(
  broker: Broker,
  terms: AmqpTerms,
  { timeoutMs }: Asking,
): Promise<ChannelModel> {
  const { connect } = await import('amqplib')
  const { host, port, tls, username, password, path } = await broker.place()
  const isConfidential = username !== undefined || tls?.key !== undefined
  const lookup = await broker.outbound.leadTo({ host, port, tls, isConfidential })
  return connect(
    {
      protocol: tls === undefined ? 'amqp' : 'amqps',
      hostname: host,
      port,
      username: username ?? 'guest',
      password: password ?? 'guest',
      vhost: terms.vhost ?? path ?? '/',
      heartbeat: terms.heartbeatSeconds,
    },
    // Its types know the sockets' options less well than it does: they reach node as they are.
    { ...spokenBy(tls), lookup, timeout: timeoutMs, noDelay: true } as SocketOptions,
  )
}

const spokenBy = (tls: OutboundTls = {}) =>
  Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined))

function connectionOf(model: ChannelModel, channel: ConfirmChannel, over: Promise<unknown>): AmqpConnection {
  /** The ids of messages that came back: the broker confirms them all the same. */
  const returned = new Set<string>()
  let failure: Error | undefined
  channel.on('return', ({ properties }) => returned.add(String(properties.messageId)))
  channel.on('error', (error: Error) => (failure = error))
  const ended = new Promise<unknown>((resolve) => channel.on('close', resolve))
  const close = () => model.close().catch(() => undefined)
  return {
    // A channel that the broker has closed is of no use, and its connection goes with it.
    over: Promise.race([over, ended.then(close)]),
    close,
    async publish(messageId, message, now) {
      const { exchange, routingKey, headers, content, contentType, persistent, mandatory } = message
      await new Promise<void>((resolve, reject) => {
        const settle = (error: unknown) =>
          error === null || error === undefined
            ? resolve()
            : reject(failure ?? new Refused(String(error), 'network'))
        channel.publish(
          exchange,
          routingKey,
          Buffer.from(content),
          {
            messageId,
            contentType,
            headers: { ...headers },
            persistent,
            mandatory,
            timestamp: Math.floor(now / 1000),
          },
          settle,
        )
        void ended.then(() => reject(failure ?? new Refused('the connection broke', 'network')))
      })
      if (returned.delete(messageId)) throw new Refused('no queue takes it: it came back', 'condition')
    },
  }
}
