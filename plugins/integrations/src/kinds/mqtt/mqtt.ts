import { randomBytes } from 'node:crypto'
import { compileDuration } from '@svc/automation/contract'
import type { Value } from '@svc/store/contract'
import { compileBody } from '../../compile/body.ts'
import { compileCommon } from '../../compile/common.ts'
import { compileOperations, type SendingPlace } from '../../compile/operation.ts'
import { placeOf } from '../../compile/place.ts'
import { checkRequired } from '../../compile/required.ts'
import type { Sending } from '../../compile/sending.ts'
import { compileEntry, MASK, shown } from '../../mapping/mapping.ts'
import { mappingFault } from '../../wire/fault.ts'
import { attemptPublish } from '../broker/attempt.ts'
import { Link } from '../broker/link.ts'
import { compileBroker } from '../broker/place.ts'
import { refuseConsuming } from '../broker/publishing.ts'
import { integrationType } from '../type.ts'
import { type MqttConnection, type MqttMessage, openMqtt } from './connection.ts'
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
    // Of two clients of one name the broker ends the first: each server has one of its own.
    const clientId = `${written.clientId ?? `svc-${site.model.name}-${name}`}-${randomBytes(4).toString('hex')}`
    const terms = { clientId, keepAliveSeconds: Math.ceil((keepAlive?.ms ?? 60_000) / 1000) }
    const place = placeOf(written, { common, auth: broker?.auth ?? [], site, parts })
    const link = broker && new Link((asking) => openMqtt(broker, terms, asking))
    const operations = compileOperations(written.operations, place, (operation, at) =>
      publishing(operation, { link, shown: broker?.shown ?? '' }, at),
    )
    return broker && link && { ...common, auth: broker.auth, operations, close: () => link.close() }
  },
})

function publishing(
  written: MqttOperation,
  { link, shown: broker }: { readonly link: Link<MqttConnection> | undefined; readonly shown: string },
  { site, path, speech, timeoutMs }: SendingPlace,
): Sending | undefined {
  const { qos = 1, retain = false, required = [], format = 'json' } = written
  if (refuseConsuming(written, path, site)) return undefined
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
    attempt: ({ body: made }, { signal }) =>
      attemptPublish(
        (ending) =>
          link.use({ signal: ending, timeoutMs }, async (connection) => {
            await connection.publish(made?.value as unknown as MqttMessage)
            return { topic: (made?.value as unknown as MqttMessage).topic }
          }),
        () => link.drop(),
        { signal, timeoutMs, shown: broker },
      ),
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
