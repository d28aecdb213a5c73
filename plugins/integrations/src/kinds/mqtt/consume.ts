import type { IPublishPacket } from 'mqtt'
import type { Take } from '../../inbound/consumer.ts'
import { beginConsumption } from '../broker/consumption.ts'
import { OPENING_MS } from '../broker/link.ts'
import type { Broker } from '../broker/place.ts'
import type { MqttOperation } from './definition.ts'

/** How long a connection is silent before its system asks whether the other side is there, in milliseconds. */
const SILENCE_MS = 30_000

/** How a consumer is known to the broker, and for how long without a connection, in seconds. */
export interface SessionTerms {
  readonly clientId: string
  readonly sessionSeconds: number
}

/** Consumes a topic until the end, one message after the other; what came meanwhile waits at the broker. */
export async function consumeMqtt(
  { topic, qos = 1, retained = 'process' }: MqttOperation,
  broker: Broker,
  { clientId, sessionSeconds }: SessionTerms,
  take: Take,
  begun: () => void,
  ending: AbortSignal,
): Promise<void> {
  const { MqttClient } = await import('mqtt')
  const { host, port, tls, username, password } = await broker.place()
  const isConfidential = username !== undefined || tls?.key !== undefined
  const asked = { host, port, tls, isConfidential, timeoutMs: OPENING_MS, signal: ending }
  const socket = await broker.outbound.connect(asked)
  socket.setKeepAlive(true, SILENCE_MS)
  const client = new MqttClient(() => socket, {
    clientId,
    protocolVersion: 5,
    clean: false,
    // No answer to a ping is read while a message is at work: the system asks in its place.
    keepalive: 0,
    reconnectPeriod: 0,
    connectTimeout: OPENING_MS,
    properties: { sessionExpiryInterval: sessionSeconds, receiveMaximum: 10 },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  })
  const consumption = beginConsumption(ending)
  const { over, signal, stop } = consumption
  let last: Promise<unknown> = Promise.resolve()
  // PUBACK follows the callback.
  client.handleMessage = (packet, callback) => {
    if (signal.aborted) return
    if (packet.retain && retained === 'ignore') return callback()
    last = take([deliveredOf(packet)], signal).then(
      () => callback(),
      (error: Error) => stop(error),
    )
  }
  client.on('error', (error) => stop(error))
  client.on('close', () => stop(new Error('the connection broke')))
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      over.then(resolve, reject)
    })
    if (!ending.aborted) {
      const [granted] = await client.subscribeAsync(topic, { qos: qos === 0 ? 0 : 1 })
      if (granted !== undefined && granted.qos > 2) throw new Error(`the broker does not grant '${topic}'`)
    }
    begun()
    await over
    await last
  } finally {
    consumption.giveUp()
    client.end(true)
    // The message at work comes again: it is not overtaken by itself, nor by those behind it.
    await last
  }
}

function deliveredOf({ topic, payload, properties }: IPublishPacket) {
  const user = Object.entries(properties?.userProperties ?? {})
  return {
    body: typeof payload === 'string' ? Buffer.from(payload) : payload,
    headers: Object.fromEntries(user.map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')])),
    names: { topic },
    id: undefined,
  }
}
