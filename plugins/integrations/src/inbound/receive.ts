import { evaluationOfFacts, type Facts } from '@svc/domain/contract'
import { assertWellFormed, bytesOf, type Call, errors, Reply, SYSTEM } from '@svc/kernel'
import type { Row, Transaction, Value } from '@svc/store/contract'
import { integrationErrors } from '../errors.ts'
import type { Integration } from '../integration.ts'
import { takeStep } from '../run/course.ts'
import type { Doer } from '../run/doer.ts'
import { insertRun, putWork } from '../run/keep.ts'
import { logAttempt } from '../run/log-entry.ts'
import type { Means } from '../run/means.ts'
import { announce } from '../run/notices.ts'
import type { Ended, Run } from '../run/run.ts'
import { findsFor } from '../run/writer.ts'
import { giveBack, type Mark, take } from '../tables/seen.ts'
import type { Arrived } from './arrived.ts'
import { parseMessage } from './message.ts'
import { messageVariables } from './operation.ts'
import { isTimely, nonceOf } from './replay.ts'
import type { Webhook } from './webhook.ts'

/** For how long what messages are told by is remembered, in milliseconds: a week. */
export const REMEMBERED_MS = 7 * 86_400_000

/** Somebody sends a message again. */
export class Duplicate extends Error {}

/** What has come in, and what it is told by. */
interface Taken {
  readonly run: Run
  readonly marks: readonly Mark[]
}

/** Takes a message: judges whom it comes from, and does what the definition says. */
export async function receive(
  integration: Integration,
  webhook: Webhook,
  call: Call,
  means: Means,
): Promise<Reply> {
  const body = await bytesOf(call.body)
  const payload = parseMessage(body, call.body.type, webhook.format)
  assertWellFormed(payload)
  const request = call.request
  const arrived: Arrived = {
    header: (name) => request?.meta(name),
    query: request?.query ?? {},
    body,
    remote: request?.remote ?? '',
  }
  const run = runOf(integration, webhook, payload, request?.metas?.() ?? {}, call, means)
  const refused = async (error: Error) => {
    await note(run, error.message, means)
    return error
  }
  await assertKnown(arrived, webhook, means).catch(async (error: Error) => {
    throw await refused(error)
  })
  const nonce = nonceOf(arrived, webhook.replay)
  if (nonce === null) throw await refused(invalid())
  const { limiter } = means.gates(integration)
  const token = await limiter?.take(0)
  if (token?.isTaken === false)
    throw errors.RATE_LIMITED({
      headers: { 'Retry-After': String(Math.max(1, Math.ceil(token.waitMs / 1000))) },
    })
  const told = await toldBy(run, arrived, webhook, means)
  const { name } = integration
  const marks: Mark[] = []
  if (nonce) marks.push({ integration: name, kind: 'nonce', ...nonce })
  if (told !== undefined)
    marks.push({ integration: name, kind: 'message', value: told, forMs: REMEMBERED_MS })
  const taken = { run, marks }
  try {
    return webhook.isAsync ? await keep(taken, means) : await settle(taken, webhook, means)
  } catch (error) {
    if (error instanceof Replayed) throw await refused(invalid())
    if (!(error instanceof Duplicate)) throw error
    return duplicate(taken, means)
  }
}

/** The same nonce once more. */
class Replayed extends Error {}

/** One answer for all that shows nothing, whatever it lacks. */
const invalid = () => integrationErrors.SIGNATURE_INVALID()

/** Throws FORBIDDEN for an address, UNAVAILABLE where a secret is not configured, and SIGNATURE_INVALID. */
async function assertKnown(arrived: Arrived, { checks, replay }: Webhook, { parts }: Means): Promise<void> {
  const { all } = checks
  if (all.some((check) => check.isAddress && !check.passes(arrived)))
    throw errors.FORBIDDEN({ message: 'Messages are not taken from this address' })
  if (all.some(({ secrets }) => secrets.every((secret) => !secret.isConfigured) && secrets.length > 0))
    throw errors.UNAVAILABLE({ message: 'The webhook is not configured yet' })
  let isGood = true
  // All are asked, so that the time tells nothing of which one failed.
  for (const check of all) if (!check.isAddress && !check.passes(arrived)) isGood = false
  if (replay && !isTimely(arrived, replay, parts.env.now())) isGood = false
  if (!isGood) throw invalid()
}

function runOf(
  integration: Integration,
  webhook: Webhook,
  payload: Value,
  headers: Readonly<Record<string, string>>,
  call: Call,
  { parts, data }: Means,
): Run {
  const now = parts.env.now()
  const hidden = new Set(webhook.checks.all.flatMap(({ hides }) => hides))
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !hidden.has(name)))
  const facts: Facts = {
    resource: undefined,
    user: SYSTEM,
    op: 'update',
    variables: messageVariables(payload, shown),
    now: () => now,
  }
  return {
    id: parts.newId(),
    integration,
    operation: webhook.operation,
    facts,
    built: {
      message: { method: 'POST', url: '', headers: {}, body: { value: payload, text: '' } },
      shown: { method: 'POST', url: '', headers: {}, body: payload },
    },
    triggeredBy: 'webhook',
    actor: null,
    resource: null,
    recordId: null,
    depth: call.depth + 1,
    chain: 0,
    attempts: 0,
    isByHand: true,
    isKept: false,
    finds: findsFor(integration, data, parts),
    letter: undefined,
  }
}

/** What a message is told by from those before; undefined where it is told by nothing. */
async function toldBy(
  { facts, finds }: Run,
  arrived: Arrived,
  { dedupe, checks }: Webhook,
  { data }: Means,
): Promise<string | undefined> {
  if (dedupe === undefined) return checks.signatures.find(({ idOf }) => idOf)?.idOf?.(arrived)
  const context = await evaluationOfFacts(facts, [dedupe], data.reader)
  const value = (await finds.work(context, (found) => dedupe.evaluate(found))) ?? null
  return value === null ? undefined : JSON.stringify(value)
}

/** A message counts once that is done or kept; one that is neither may come again, with another nonce. */
export const marking = (marks: readonly Mark[], means: Means): Pick<Doer, 'begin' | 'forget'> => ({
  begin: (transaction) => takeAll(marks, transaction, means),
  async forget(transaction) {
    for (const mark of marks)
      if (mark.kind === 'message') await giveBack(mark, means.tables.seen, transaction)
  },
})

/** Takes the marks of a message. Throws Replayed and Duplicate. */
async function takeAll(
  marks: readonly Mark[],
  transaction: Transaction,
  { tables, parts }: Means,
): Promise<void> {
  for (const mark of marks) {
    if (await take(mark, parts.env.now(), tables.seen, transaction)) continue
    throw mark.kind === 'nonce' ? new Replayed() : new Duplicate()
  }
}

/** Writes what a message says, and answers once that is done. */
async function settle({ run, marks }: Taken, webhook: Webhook, means: Means): Promise<Reply> {
  const doer: Doer = {
    signal: NEVER,
    patienceMs: () => 0,
    ...marking(marks, means),
    complete: () => Promise.resolve(),
  }
  const step = await takeStep({ ...run, operation: { ...run.operation, retry: undefined } }, doer, means)
  if (!('over' in step)) throw errors.UNAVAILABLE()
  const { over } = step
  announceReceived(run, over, means)
  if (over.error === undefined) return accepted(run, over, webhook, means)
  if (over.letter === null) throw over.error
  return new Reply({ status: 202, data: { received: true, id: run.id, deadLetterId: over.letter } })
}

const NEVER = new AbortController().signal

async function accepted(
  run: Run,
  { written, mapped = {} }: Ended,
  { response }: Webhook,
  means: Means,
): Promise<Reply> {
  const { status, body } = response
  if (body === undefined)
    return new Reply({
      status,
      data: { received: true, id: run.id, duplicate: false, written: [...written] },
    })
  const facts: Facts = { ...run.facts, variables: { ...run.facts.variables, mapped } }
  const context = await evaluationOfFacts(facts, body.expressions, means.data.reader)
  const answer = means.parts.redaction.json(await run.finds.work(context, (found) => body.evaluate(found)))
  return new Reply({ status, content: { type: 'application/json', body: JSON.stringify(answer) } })
}

/** Keeps a message, and answers before anything is done with it. */
async function keep({ run, marks }: Taken, means: Means): Promise<Reply> {
  await means.parts.store.transaction(async (transaction) => {
    await takeAll(marks, transaction, means)
    await insertRun(run, 'queued', transaction, means)
    await putWork(run, means.parts.env.now(), transaction, means)
  })
  announceReceived(run, undefined, means)
  return new Reply({ status: 202, data: { received: true, id: run.id } })
}

/** Answers a message that was taken before: its nonce counts all the same. */
async function duplicate({ run, marks }: Taken, means: Means): Promise<Reply> {
  await means.parts.store.transaction(async (transaction) => {
    for (const mark of marks)
      if (mark.kind === 'nonce') await take(mark, means.parts.env.now(), means.tables.seen, transaction)
    const attempted = { status: 200, response: null, durationMs: 0, failure: undefined }
    await logAttempt({ ...run, attempts: 1 }, attempted, transaction, means)
  })
  return new Reply({ status: 200, data: { received: true, duplicate: true } })
}

/** Writes down that a message was refused. */
async function note(run: Run, why: string, means: Means): Promise<void> {
  const failure = { kind: 'condition' as const, message: why, mayHaveArrived: true }
  await means.parts.store.transaction((transaction) =>
    logAttempt(
      { ...run, attempts: 1, built: undefined },
      { status: null, response: null, durationMs: 0, failure },
      transaction,
      means,
    ),
  )
}

function announceReceived(run: Run, over: Ended | undefined, means: Means): void {
  const facts: Row = { messageId: run.id, deadLetterId: over?.letter ?? null }
  announce(run.integration, 'received', facts, means)
}
