import { randomBytes } from 'node:crypto'
import { compileDuration } from '@svc/automation/contract'
import type { Value } from '@svc/store/contract'
import { compileBody } from '../../compile/body.ts'
import { compileCommon } from '../../compile/integration.ts'
import type { SendingPlace } from '../../compile/operation.ts'
import { placeOf } from '../../compile/place.ts'
import { checkRequired } from '../../compile/required.ts'
import type { Sending } from '../../compile/sending.ts'
import type { Take } from '../../inbound/consumer.ts'
import { compileEntry, MASK, shown } from '../../mapping/mapping.ts'
import { mappingFault } from '../../wire/fault.ts'
import { attemptPublish } from '../broker/attempt.ts'
import { Link } from '../broker/link.ts'
import { compileBroker } from '../broker/place.ts'
import { compileBrokerOperations } from '../broker/operations.ts'
import { integrationType } from '../type.ts'
import { type MqttConnection, type MqttMessage, openMqtt } from './connection.ts'
import { consumeMqtt } from './consume.ts'
import { isTopicFilter } from './topic-filter.ts'
import { MqttDefinition, type MqttOperation } from './definition.ts'

/** `mqtt`: a broker that speaks MQTT 5. */
export const mqtt = integrationType({
  definition: MqttDefinition,
  compile(name, written, site, parts) {
    const protocol = { scheme: 'mqtt', ports: { plain: 1883, tls: 8883 } } as const
    const broker = compileBroker(name, written, protocol, site, parts)
    const common = compileCommon(name, written, site, parts)
    const keepAlive =
      written.keepAlive === undefined
        ? undefined
        : compileDuration(written.keepAlive, [name, 'keepAlive'], site, { least: '5s', most: '1h' })
    const session =
      written.sessionExpiry === undefined
        ? undefined
        : compileDuration(written.sessionExpiry, [name, 'sessionExpiry'], site, { least: '0s', most: '30d' })
    const known = written.clientId ?? `svc-${site.model.name}-${name}`
    // Of two clients of one name the broker ends the first: each server publishes by one of its own.
    const clientId = `${known}-${randomBytes(4).toString('hex')}`
    const consuming = (one: string, operation: MqttOperation) => {
      const path = [name, 'operations', one]
      if (operation.qos === 2)
        site.problem([...path, 'qos'], 'is 0 or 1 of what is consumed', 'Take it away: 1 is meant')
      if (operation.retain !== undefined)
        site.problem([...path, 'retain'], "means nothing with 'direction: consume'", "Write 'retained'")
      const isFilter = isTopicFilter(operation.topic)
      if (!isFilter)
        site.problem(
          [...path, 'topic'],
          'is no filter of topics: + and # stand for whole levels, and # for the last ones',
          'Write it as plant/+/temperature or plant/#',
        )
      if (broker === undefined || operation.qos === 2 || !isFilter) return undefined
      const terms = {
        clientId: `${known}-${one}`,
        sessionSeconds: Math.ceil((session?.ms ?? 3_600_000) / 1000),
      }
      const { topic, qos, retained } = operation
      return {
        text: JSON.stringify([topic, qos, retained, terms]),
        count: 1,
        consume: (take: Take, begun: () => void, ending: AbortSignal) =>
          consumeMqtt(operation, broker, terms, take, begun, ending),
      }
    }
    const terms = { clientId, keepAliveSeconds: Math.ceil((keepAlive?.ms ?? 60_000) / 1000) }
    const place = placeOf(written, { common, auth: broker?.auth ?? [], site, parts })
    const link = broker && new Link((asking) => openMqtt(broker, terms, asking))
    const operations = compileBrokerOperations(written.operations, place, {
      names: ['topic'],
      publishing: (operation, at) => publishing(operation, { link, shown: broker?.shown ?? '' }, at),
      consuming,
    })
    return broker && link && { ...common, auth: broker.auth, operations, close: () => link.close() }
  },
})

function publishing(
  written: MqttOperation,
  { link, shown: broker }: { readonly link: Link<MqttConnection> | undefined; readonly shown: string },
  { site, path, speech, timeoutMs }: SendingPlace,
): Sending | undefined {
  const { qos = 1, retain = false, required = [], format = 'json' } = written
  for (const key of ['dedupe', 'retained'] as const)
    if (written[key] !== undefined)
      site.problem([...path, key], "is about what comes in: 'direction: consume'", 'Take it away')
  if (written.body === undefined) site.problem([...path, 'body'], 'is missing', 'Write what is published')
  const topic = compileEntry(written.topic, [...path, 'topic'], site, speech)
  const body = compileBody(written.body, [...path, 'body'], site, speech)
  if (!topic || !body || !link || written.body === undefined) return undefined
  return {
    expressions: [...topic.expressions, ...body.expressions],
    isRead: false,
    isRepeatable: true,
    make(_, context, shows) {
      const mapped = body.evaluate(context, shows) ?? null
      checkRequired(required, typeof mapped === 'object' ? mapped : { body: mapped })
      const further = { ...context, variables: { ...context.variables, mapped } }
      const message: MqttMessage = {
        topic: topicOf(shown(topic, further, shows), shows?.mask ?? MASK),
        content:
          format === 'text'
            ? typeof mapped === 'string'
              ? mapped
              : JSON.stringify(mapped)
            : JSON.stringify(mapped),
        contentType: format === 'text' ? 'text/plain; charset=utf-8' : 'application/json',
        qos,
        retain,
      }
      return {
        method: 'PUBLISH',
        url: `${broker}/${message.topic}`,
        headers: {},
        body: { value: { ...message, body: mapped } as never, text: message.content },
      }
    },
    show: ({ method, url, body: made }) => ({ method, url, headers: {}, body: made?.value ?? null }),
    tell: ({ body: made }) => {
      const { content: _, contentType: __, ...told } = made as Readonly<Record<string, Value>>
      return told
    },
    attempt({ body: made }, { signal }) {
      const message = made?.value as unknown as MqttMessage
      const publish = (ending: AbortSignal) =>
        link.use(ending, async (connection) => {
          await connection.publish(message)
          return { topic: message.topic }
        })
      return attemptPublish(publish, () => link.drop(), { signal, timeoutMs, shown: broker })
    },
  }
}

/** A topic that is published to (MQTT 5.0, section 4.7): without wildcards. */
function topicOf(value: Value, mask: string): string {
  if (typeof value !== 'string' || value === '') throw mappingFault('topic', 'it is a text, and not empty')
  if (value === mask) return value
  if (/[+#\0]/.test(value)) throw mappingFault('topic', 'it has no +, no # and no control character')
  if (Buffer.byteLength(value) > 65_535) throw mappingFault('topic', 'it has 65535 bytes at most')
  return value
}
