import { setTimeout as pause } from 'node:timers/promises'
import { evaluationOfFacts, type Facts } from '@svc/domain/contract'
import { AppError, assertWellFormed, errors, SYSTEM } from '@svc/kernel'
import { parseJson } from '@svc/rest/contract'
import type { Value } from '@svc/store/contract'
import type { Integration } from '../integration.ts'
import type { Operation } from '../operation.ts'
import { takeStep, takeTogether } from '../run/course.ts'
import type { Doer } from '../run/doer.ts'
import { fail } from '../run/end.ts'
import { logAttempt } from '../run/log-entry.ts'
import type { Means } from '../run/means.ts'
import { announce } from '../run/notices.ts'
import type { Ended, Run } from '../run/run.ts'
import { findsFor } from '../run/writer.ts'
import type { Mark } from '../tables/seen.ts'
import type { Consumer, Delivered, Verdict } from './consumer.ts'
import { messageVariables } from './operation.ts'
import { Duplicate, marking, REMEMBERED_MS } from './receive.ts'

/** An operation that consumes. */
export interface Consuming {
  readonly integration: Integration
  readonly operation: Operation
  readonly consumer: Consumer
}

/** Writes what a message says, as often as `retry` has it tried; what cannot be written is a dead letter. */
export async function deliver(
  delivered: Delivered,
  consuming: Consuming,
  means: Means,
  signal: AbortSignal,
): Promise<Verdict> {
  const { consumer } = consuming
  const read = readMessage(delivered, consumer, means)
  const run = runOf(read.message, delivered, consuming, means)
  if (read.fault !== undefined)
    return verdictOf(run, await fail(run, read.fault, undefined, doerOf([], signal, means), means), means)
  try {
    const marks = await marksOf(delivered, consumer, run, means)
    for (;;) {
      const step = await takeStep(run, doerOf(marks, signal, means), means)
      if ('over' in step) return verdictOf(run, step.over, means)
      await pause(step.waitMs, undefined, { signal })
    }
  } catch (error) {
    if (!(error instanceof Duplicate)) throw error
    await means.parts.store.transaction((transaction) =>
      logAttempt(
        { ...run, attempts: 1 },
        { status: null, response: null, durationMs: 0, failure: undefined },
        transaction,
        means,
      ),
    )
    return 'done'
  }
}

/**
 * Writes what several messages say in one transaction, in their order, and answers undefined where one of them cannot even be read.
 * Where something is in the way of one it throws, and none has taken effect.
 */
export async function deliverTogether(
  all: readonly Delivered[],
  consuming: Consuming,
  means: Means,
  signal: AbortSignal,
): Promise<readonly Verdict[] | undefined> {
  const { consumer } = consuming
  const taken = []
  for (const delivered of all) {
    const { message, fault } = readMessage(delivered, consumer, means)
    if (fault !== undefined) return undefined
    const run = runOf(message, delivered, consuming, means)
    const marks = await marksOf(delivered, consumer, run, means)
    taken.push({ run, doer: doerOf(marks, signal, means) })
  }
  const ends = await takeTogether(taken, means)
  return taken.map(({ run }, at) => verdictOf(run, ends[at]!, means))
}

const doerOf = (marks: readonly Mark[], signal: AbortSignal, means: Means): Doer => ({
  signal,
  patienceMs: () => 0,
  ...marking(marks, means),
  complete: () => Promise.resolve(),
})

/** With dead letters off nobody keeps what has failed: the broker may. */
function verdictOf(run: Run, over: Ended, means: Means): Verdict {
  announce(run.integration, 'received', { messageId: run.id, deadLetterId: over.letter }, means)
  return over.error !== undefined && over.letter === null ? 'rejected' : 'done'
}

/** The message as its format has it; one that is none is kept as the text that it is. */
function readMessage(
  { body }: Delivered,
  { format }: Consumer,
  { parts }: Means,
): { readonly message: Value; readonly fault: AppError | undefined } {
  const text = () => beginningOf(body)
  if (body.length > parts.maxBodyBytes)
    return {
      message: text(),
      fault: errors.PAYLOAD_TOO_LARGE({ message: `The message has more than ${parts.maxBodyBytes} bytes` }),
    }
  try {
    const message = format === 'json' ? (parseJson(body) as Value) : decoded(body)
    assertWellFormed(message)
    return { message, fault: undefined }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { message: text(), fault: error }
  }
}

/** As much as is kept of what is no message, in characters: each has four bytes at most, and the rest of a large one is not read. */
const MOST_KEPT = 16_384
const beginningOf = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, Math.min(length, MOST_KEPT * 4))
    .toString('utf8')
    .slice(0, MOST_KEPT)

function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw errors.BAD_REQUEST({ message: 'The message is not encoded as UTF-8' })
  }
}

async function marksOf(
  { id }: Delivered,
  { dedupe }: Consumer,
  { facts, finds, integration, operation }: Run,
  { data }: Means,
): Promise<readonly Mark[]> {
  let value = id === undefined ? null : JSON.stringify(id)
  if (dedupe !== undefined) {
    const context = await evaluationOfFacts(facts, [dedupe], data.reader)
    const told = (await finds.work(context, (found) => dedupe.evaluate(found))) ?? null
    value = told === null ? null : JSON.stringify(told)
  }
  if (value === null) return []
  return [
    {
      integration: integration.name,
      kind: 'message',
      value: `${operation.name} ${value}`,
      forMs: REMEMBERED_MS,
    },
  ]
}

function runOf(
  message: Value,
  { headers, names }: Delivered,
  { integration, operation }: Consuming,
  { parts, data }: Means,
): Run {
  const now = parts.env.now()
  const facts: Facts = {
    resource: undefined,
    user: SYSTEM,
    op: 'update',
    variables: { ...messageVariables(message, headers), ...names },
    now: () => now,
  }
  const shown = { method: 'CONSUME', url: '', headers: {}, body: message }
  return {
    id: parts.newId(),
    integration,
    operation,
    facts,
    built: {
      message: { method: 'CONSUME', url: '', headers: {}, body: { value: message, text: '' } },
      shown,
    },
    triggeredBy: 'message',
    actor: null,
    resource: null,
    recordId: null,
    depth: 1,
    chain: 0,
    attempts: 0,
    isByHand: false,
    isKept: false,
    finds: findsFor(integration, data, parts),
    letter: undefined,
  }
}
