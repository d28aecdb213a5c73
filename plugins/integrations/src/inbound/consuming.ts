import { setTimeout as pause } from 'node:timers/promises'
import { type JobKind, type Jobs, Postponed, type Work } from '@svc/jobs/contract'
import type { Means, Setting } from '../run/means.ts'
import { type ConsumerJob, ConsumerPayload } from './consumer-job.ts'
import type { Consuming } from './deliver.ts'
import { takerOf } from './taker.ts'
import { noting } from './standing.ts'

/** How long a consumer waits for a broker that is down, at first and at most, in milliseconds. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** How often it looks whether the definition still says so, in milliseconds. */
const LOOK_MS = 250
const NOT_IN_FORCE_MS = 1000
const SWITCHED_OFF_MS = 30_000
/** How many consumers one server has at once. */
const MOST_CONSUMERS = 200

export const consumersIn = ({ integrations }: Pick<Setting, 'integrations'>): readonly Consuming[] =>
  [...integrations.values()].flatMap((integration) =>
    integration.enabled
      ? [...integration.operations.values()].flatMap((operation) =>
          operation.consumer ? [{ integration, operation, consumer: operation.consumer }] : [],
        )
      : [],
  )

export const consumerKey = (domain: string, integration: string, operation: string): string =>
  `consume ${domain} ${integration} ${operation}`

/** Declares the work of consumers: each is done by one server at a time, which holds it until it stops. */
export const declareConsumers = (jobs: Jobs, open: ReadonlyMap<string, Means>): JobKind<ConsumerJob> =>
  jobs.kind('integrations.consume', {
    payload: ConsumerPayload,
    delaysMs: Array.from({ length: 200 }, () => FIRST_PAUSE_MS),
    maxRunMs: Infinity,
    workers: MOST_CONSUMERS,
    order: ({ domain, integration, operation, at, text }) =>
      `${domain} ${integration} ${operation} ${at} ${text}`,
    run: (job, work) => perform(job, work, open),
  })

/** Puts the work of every consumer that has none yet. */
export async function putConsumers({ model, ...setting }: Means): Promise<void> {
  const { store, consumers } = setting.parts
  for (const { integration, operation, consumer } of consumersIn(setting)) {
    const { text } = consumer
    for (let at = 0; at < consumer.count; at += 1) {
      const key = `${consumerKey(model.name, integration.name, operation.name)} ${at} ${text}`
      if ((await consumers().inspect(key)).length > 0) continue
      const job = { domain: model.name, integration: integration.name, operation: operation.name, at, text }
      await store.transaction(async (transaction) => {
        await consumers().put(transaction, job, { key })
      })
    }
  }
}

async function perform(job: ConsumerJob, work: Work, open: ReadonlyMap<string, Means>): Promise<void> {
  const means = open.get(job.domain)
  if (means === undefined) throw new Postponed(`'${job.domain}' is not in force here`, NOT_IN_FORCE_MS)
  if (!means.parts.isEnabled) throw new Postponed('integrations are switched off here', SWITCHED_OFF_MS)
  const consuming = consumersIn(means).find(
    ({ integration, operation, consumer }) =>
      integration.name === job.integration && operation.name === job.operation && consumer.text === job.text,
  )
  // The definition has it no more.
  if (consuming === undefined || job.at >= consuming.consumer.count)
    return work.commit(() => Promise.resolve())
  const replaced = new AbortController()
  const look = setInterval(() => {
    if (open.get(job.domain) !== means) replaced.abort()
  }, LOOK_MS).unref()
  const ending = AbortSignal.any([work.signal, work.stopping, replaced.signal])
  const note = noting(job, means)
  try {
    await note(false)
    await consume(consuming, means, note, ending)
  } finally {
    clearInterval(look)
    // Whoever has taken it over says by itself whether it listens.
    if (!work.signal.aborted) await note(false)
  }
  throw new Postponed('it is held anew', 0)
}

/** Consumes until the end, whatever becomes of connections meanwhile. */
async function consume(
  consuming: Consuming,
  means: Means,
  note: ReturnType<typeof noting>,
  ending: AbortSignal,
): Promise<void> {
  const { consumer, integration, operation } = consuming
  const { log } = means.parts
  let waitMs = FIRST_PAUSE_MS
  while (!ending.aborted) {
    const began = performance.now()
    try {
      await consumer.consume(takerOf(consuming, means), () => void note(true), ending)
    } catch (err) {
      if (ending.aborted) return
      void note(false)
      log.warn(
        { domain: means.model.name, integration: integration.name, operation: operation.name, err },
        'integrations.consumer_interrupted',
      )
    }
    if (ending.aborted) return
    if (performance.now() - began > LONGEST_PAUSE_MS) waitMs = FIRST_PAUSE_MS
    await pause(waitMs, undefined, { signal: ending }).catch(() => undefined)
    waitMs = Math.min(LONGEST_PAUSE_MS, waitMs * 2)
  }
}
