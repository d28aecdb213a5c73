import type { Channel, ConsumeMessage } from 'amqplib'
import { MOST_AT_ONCE, type Take, type Verdict } from '../../inbound/consumer.ts'
import { beginConsumption } from '../broker/consumption.ts'
import { OPENING_MS } from '../broker/link.ts'
import type { Broker } from '../broker/place.ts'
import { type AmqpTerms, connectAmqp } from './connection.ts'
import type { AmqpOperation } from './definition.ts'

/** Consumes a queue until the end, one message after the other; those that wait meanwhile may take effect together. */
export async function consumeAmqp(
  { queue = '', bindings = [], prefetch = 10, declare = false }: AmqpOperation,
  broker: Broker,
  terms: AmqpTerms,
  take: Take,
  begun: () => void,
  ending: AbortSignal,
): Promise<void> {
  const model = await connectAmqp(broker, terms, { timeoutMs: OPENING_MS, signal: ending })
  const consumption = beginConsumption(ending)
  const { over, signal, stop } = consumption
  let last: Promise<void> = Promise.resolve()
  try {
    model.on('error', (error: Error) => stop(error))
    model.on('close', () => stop(new Error('the connection broke')))
    const channel = await model.createChannel()
    channel.on('error', (error: Error) => stop(error))
    channel.on('close', () => stop(new Error('the broker closed the channel')))
    if (declare) {
      await channel.assertQueue(queue, { durable: true })
      for (const { exchange, routingKey } of bindings) {
        await channel.assertExchange(exchange, 'topic', { durable: true })
        await channel.bindQueue(queue, exchange, routingKey)
      }
    }
    await channel.prefetch(prefetch)
    const waiting: ConsumeMessage[] = []
    let isSettling = false
    // What was delivered before the end and not begun comes again.
    const settle = async () => {
      isSettling = true
      try {
        while (waiting.length > 0 && !signal.aborted) {
          const verdicts = await take(waiting.slice(0, MOST_AT_ONCE).map(deliveredOf), signal)
          if (consumption.isBroken) return
          acknowledge(channel, waiting.splice(0, verdicts.length), verdicts)
        }
      } finally {
        isSettling = false
      }
    }
    await channel.consume(queue, (message) => {
      if (message === null) return stop(new Error('the queue is gone'))
      waiting.push(message)
      if (!isSettling) last = settle().catch((error: Error) => stop(error))
    })
    begun()
    await over
    await last
  } finally {
    consumption.giveUp()
    await model.close().catch(() => undefined)
    // The message at work comes again: it is not overtaken by itself, nor by those behind it.
    await last
  }
}

/** Messages of one verdict are acknowledged by one word. */
function acknowledge(
  channel: Channel,
  messages: readonly ConsumeMessage[],
  verdicts: readonly Verdict[],
): void {
  const last = messages.at(-1)
  if (last !== undefined && verdicts.every((one) => one === 'done')) return channel.ack(last, true)
  for (const [at, message] of messages.entries())
    if (verdicts[at] === 'done') channel.ack(message)
    else channel.nack(message, false, false)
}

function deliveredOf({ content, fields, properties }: ConsumeMessage) {
  const headers = Object.entries(properties.headers ?? {})
  const id: unknown = properties.messageId
  return {
    body: content,
    headers: Object.fromEntries(
      headers.flatMap(([name, value]) =>
        ['string', 'number', 'boolean'].includes(typeof value) ? [[name.toLowerCase(), String(value)]] : [],
      ),
    ),
    names: { routingKey: fields.routingKey },
    id: typeof id === 'string' && id !== '' ? id : undefined,
  }
}
