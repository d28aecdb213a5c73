import type { Asking } from '../../auth/oauth/endpoint.ts'
import { Refused } from '../broker/attempt.ts'
import type { Opened } from '../broker/link.ts'
import type { Broker } from '../broker/place.ts'

/** A message as it is published. */
export interface MqttMessage {
  readonly topic: string
  readonly content: string
  readonly contentType: string
  readonly qos: 0 | 1 | 2
  readonly retain: boolean
}

/** How connections to a broker of MQTT are made. */
export interface MqttTerms {
  readonly clientId: string
  readonly keepAliveSeconds: number
}

export interface MqttConnection extends Opened {
  /** Resolves once the broker has taken it: with PUBACK or PUBCOMP, or, of QoS 0, once it is sent. */
  publish(message: MqttMessage): Promise<void>
}

/** Opens a connection over a socket that was judged. Throws an OutboundError, and what the broker says. */
export async function openMqtt(
  broker: Broker,
  { clientId, keepAliveSeconds }: MqttTerms,
  { signal, timeoutMs }: Asking,
): Promise<MqttConnection> {
  const { MqttClient } = await import('mqtt')
  const { host, port, tls, username, password } = await broker.place()
  const isConfidential = username !== undefined || tls?.key !== undefined
  const socket = await broker.outbound.connect({ host, port, tls, isConfidential, timeoutMs, signal })
  const client = new MqttClient(() => socket, {
    clientId,
    protocolVersion: 5,
    clean: true,
    keepalive: keepAliveSeconds,
    // Whoever publishes next opens another one.
    reconnectPeriod: 0,
    connectTimeout: timeoutMs,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  })
  const over = new Promise((resolve) => client.on('close', () => resolve(undefined)))
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve())
      client.once('error', reject)
      void over.then(() => reject(new Refused('the broker ended the connection', 'network')))
    })
  } catch (error) {
    client.end(true)
    throw error
  }
  // What goes wrong from now on ends the connection.
  client.on('error', () => client.end(true))
  return {
    over,
    close: () => client.endAsync(true).catch(() => undefined),
    async publish({ topic, content, contentType, qos, retain }) {
      const sent = client.publishAsync(topic, content, { qos, retain, properties: { contentType } })
      await Promise.race([
        sent,
        over.then(() => {
          throw new Refused('the connection broke', 'network')
        }),
      ])
    },
  }
}
