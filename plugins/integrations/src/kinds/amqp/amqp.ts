import { compileDuration } from '@svc/automation/contract'
import type { CompiledValue } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { compileBody } from '../../compile/body.ts'
import { compileCommon } from '../../compile/integration.ts'
import type { SendingPlace } from '../../compile/operation.ts'
import { placeOf } from '../../compile/place.ts'
import { checkRequired } from '../../compile/required.ts'
import type { Sending } from '../../compile/sending.ts'
import type { Take } from '../../inbound/consumer.ts'
import { compileEntry, compileMapping, shown } from '../../mapping/mapping.ts'
import { mappingFault } from '../../wire/fault.ts'
import { shownHeaders } from '../../wire/headers.ts'
import { attemptPublish } from '../broker/attempt.ts'
import { Link } from '../broker/link.ts'
import { compileBroker } from '../broker/place.ts'
import { compileBrokerOperations } from '../broker/operations.ts'
import { integrationType } from '../type.ts'
import { type AmqpConnection, type AmqpMessage, openAmqp } from './connection.ts'
import { consumeAmqp } from './consume.ts'
import { AmqpDefinition, type AmqpOperation } from './definition.ts'

/** `amqp`: a broker that speaks AMQP 0-9-1. */
export const amqp = integrationType({
  definition: AmqpDefinition,
  compile(name, written, site, parts) {
    const protocol = { scheme: 'amqp', ports: { plain: 5672, tls: 5671 } } as const
    const broker = compileBroker(name, written, protocol, site, parts)
    const common = compileCommon(name, written, site, parts)
    const heartbeat =
      written.heartbeat === undefined
        ? undefined
        : compileDuration(written.heartbeat, [name, 'heartbeat'], site, { least: '1s', most: '1h' })
    const terms = { vhost: written.vhost, heartbeatSeconds: Math.ceil((heartbeat?.ms ?? 30_000) / 1000) }
    const consuming = (one: string, operation: AmqpOperation) => {
      const path = [name, 'operations', one]
      if (operation.queue === undefined) site.problem([...path, 'queue'], 'is missing', 'Name the queue')
      for (const key of OF_PUBLISHING)
        if (operation[key] !== undefined)
          site.problem([...path, key], "means nothing with 'direction: consume'", 'Take it away')
      if (operation.bindings !== undefined && operation.declare !== true)
        site.problem(
          [...path, 'bindings'],
          "means nothing without 'declare: true'",
          'Write it, or take them away',
        )
      if (broker === undefined || operation.queue === undefined) return undefined
      const { queue, bindings, prefetch, declare, consumers = 1 } = operation
      return {
        text: JSON.stringify([queue, bindings, prefetch, declare, terms]),
        count: consumers,
        consume: (take: Take, begun: () => void, ending: AbortSignal) =>
          consumeAmqp(operation, broker, terms, take, begun, ending),
      }
    }
    const place = placeOf(written, { common, auth: broker?.auth ?? [], site, parts })
    const link = broker && new Link((asking) => openAmqp(broker, terms, asking))
    const operations = compileBrokerOperations(written.operations, place, {
      names: ['routingKey'],
      publishing: (operation, at) => publishing(operation, { link, shown: broker?.shown ?? '' }, at),
      consuming,
    })
    return broker && link && { ...common, auth: broker.auth, operations, close: () => link.close() }
  },
})

const OF_PUBLISHING = ['exchange', 'routingKey', 'headers', 'persistent', 'mandatory'] as const
const OF_CONSUMING = ['queue', 'bindings', 'prefetch', 'consumers', 'declare', 'dedupe'] as const

function publishing(
  written: AmqpOperation,
  { link, shown: broker }: { readonly link: Link<AmqpConnection> | undefined; readonly shown: string },
  { site, path, speech, parts, timeoutMs }: SendingPlace,
): Sending | undefined {
  const { exchange: to = '', persistent = true, mandatory = true, required = [], format = 'json' } = written
  for (const key of OF_CONSUMING)
    if (written[key] !== undefined)
      site.problem([...path, key], "is about what comes in: 'direction: consume'", 'Take it away')
  if (written.routingKey === undefined)
    site.problem([...path, 'routingKey'], 'is missing', 'Write where it is led to, such as orders.{state}')
  if (written.body === undefined) site.problem([...path, 'body'], 'is missing', 'Write what is published')
  const value = (name: 'exchange' | 'routingKey', text: string): CompiledValue | undefined =>
    compileEntry(text, [...path, name], site, speech)
  const exchange = value('exchange', to)
  const key = value('routingKey', written.routingKey ?? '')
  const headers = compileMapping(written.headers ?? {}, [...path, 'headers'], site, speech)
  const body = compileBody(written.body, [...path, 'body'], site, speech)
  if (!exchange || !key || !headers || !body || !link || written.routingKey === undefined) return undefined
  return {
    expressions: [...exchange.expressions, ...key.expressions, ...headers.expressions, ...body.expressions],
    isRead: false,
    isRepeatable: true,
    make(_, context, shows) {
      const mapped = body.evaluate(context, shows) ?? null
      const further = { ...context, variables: { ...context.variables, mapped } }
      const routingKey = shortOf('routingKey', shown(key, further, shows))
      if (routingKey === '') throw mappingFault('routingKey', 'it is empty')
      const message: AmqpMessage = {
        exchange: shortOf('exchange', shown(exchange, further, shows)),
        routingKey,
        headers: headersOf(headers.evaluate(further, shows)),
        content: format === 'text' ? textOf('body', mapped) : JSON.stringify(mapped),
        contentType: format === 'text' ? 'text/plain; charset=utf-8' : 'application/json',
        persistent,
        mandatory,
      }
      checkRequired(required, typeof mapped === 'object' ? mapped : { body: mapped })
      return {
        method: 'PUBLISH',
        url: `${broker}/${message.exchange}/${routingKey}`,
        headers: {},
        body: { value: { ...message, body: mapped } as never, text: message.content },
      }
    },
    show: ({ method, url, body: made }) => ({ method, url, headers: {}, body: shownMessage(made?.value) }),
    tell: ({ body: made }) => {
      const { content: _, contentType: __, ...told } = made as Readonly<Record<string, Value>>
      return told
    },
    attempt: ({ body: made }, { runId, signal }) =>
      attemptPublish(
        (ending) =>
          link.use(ending, async (connection) => {
            await connection.publish(runId, made?.value as unknown as AmqpMessage, parts.env.now())
            return { messageId: runId }
          }),
        () => link.drop(),
        { signal, timeoutMs, shown: broker },
      ),
  }
}

/** A message as people are shown it: what its headers say of who somebody is, whatever it is for, is not there. */
function shownMessage(made: Value | undefined): Value {
  const message = made as unknown as AmqpMessage | undefined
  return message === undefined ? null : { ...message, headers: shownHeaders(message.headers) }
}

/** A short text of AMQP: 255 bytes at most. */
function shortOf(field: string, value: Value): string {
  const text = textOf(field, value)
  if (/[\r\n\0]/.test(text) || Buffer.byteLength(text) > 255)
    throw mappingFault(field, 'it is one line of 255 bytes at most')
  return text
}

function textOf(field: string, value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw mappingFault(field, 'a list or a map is no value here')
}

function headersOf(values: Readonly<Record<string, Value>>): AmqpMessage['headers'] {
  const headers: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue
    const plain =
      typeof value === 'number' || typeof value === 'boolean' ? value : textOf(`headers.${name}`, value)
    if (typeof plain === 'string' && /[\r\n\0]/.test(plain))
      throw mappingFault(`headers.${name}`, `the header '${name}' cannot hold this value`)
    headers[name] = plain
  }
  return headers
}
