import { type Automation, OUT_OF_REACH_DELAYS_MS, sweepLedger } from '@svc/automation/contract'
import type { Domains } from '@svc/domain/contract'
import type { Jobs } from '@svc/jobs/contract'
import { type Context, createUuidV7, repeat } from '@svc/kernel'
import type { Notifications } from '@svc/notifications/contract'
import type { Store } from '@svc/store/contract'
import { z } from 'zod'
import { beatRecurring } from './beat/recurring.ts'
import { beatRelative } from './beat/relative.ts'
import { createHeart } from './beat/heart.ts'
import { schedulesBlock } from './block.ts'
import type { SchedulesConfig } from './config.ts'
import { workOnAgain, workOnFilling, workOnFiring, workOnOccurrence } from './firing/work.ts'
import type { Setting, Works } from './setting.ts'
import { FIRING } from './tables/firings.ts'

export interface SchedulesContext extends Context {
  readonly config: SchedulesConfig
  readonly domains: Domains
  readonly jobs: Jobs
  readonly store: Store
  readonly automation: Automation
  readonly notifications: Notifications
}

const SWEEP_PERIOD_MS = 3_600_000
/** How much more often than it beats a server looks whether others have stopped. */
const LOOKS = 4

/** Adds the key to the language, and fires what is due in all domains in force. */
export async function startSchedules(context: SchedulesContext): Promise<void> {
  const { automation, bus, config, domains, env, jobs, log, notifications, onOpen, store } = context
  const heartbeatMs = config.heartbeat_seconds * 1000
  const settings = new Map<string, Setting>()
  const heart = await createHeart(store, env, heartbeatMs)
  const works = declareWorks(jobs, settings)
  domains.block(
    schedulesBlock({
      automation,
      notifications,
      heartbeatMs,
      server: { env, bus, log, newId: createUuidV7(env), heartbeatMs, works },
      enter(setting) {
        const { name } = setting.model
        settings.set(name, setting)
        return () => {
          if (settings.get(name) === setting) settings.delete(name)
        }
      },
    }),
  )

  const beat = async (isAsked: boolean): Promise<boolean> => {
    let isAny = false
    for (const setting of settings.values()) {
      if (!isAsked && !(await heart.beats(setting.model.name))) continue
      await setting.settled
      isAny = (await beatRecurring(setting)) || isAny
      isAny = (await beatRelative(setting)) || isAny
    }
    return isAny
  }
  const source = jobs.source('schedules', (isAsked) => beat(isAsked))
  onOpen(() =>
    repeat(() => source.wake(), { everyMs: heartbeatMs / LOOKS, log, failure: 'schedules.beat_failed' }),
  )
  onOpen(() =>
    repeat(() => sweep(settings, store, env.now(), config.retention_days), {
      everyMs: SWEEP_PERIOD_MS,
      log,
      failure: 'schedules.sweep_failed',
    }),
  )
}

/** Work whose own tries are counted elsewhere goes on for as long as a server may be out of order. */
const PATIENT_MS = [...OUT_OF_REACH_DELAYS_MS, ...Array.from({ length: 200 }, () => 600_000)]

function declareWorks(jobs: Jobs, settings: ReadonlyMap<string, Setting>): Works {
  const of = { domain: z.string(), schedule: z.string() }
  return {
    occur: jobs.kind('schedules.occur', {
      payload: z.strictObject({
        ...of,
        planned: z.array(z.string()),
        after: z.string().nullable(),
        only: z.string().nullable(),
        run: z.string().nullable(),
      }),
      delaysMs: PATIENT_MS,
      run: (job, work) => workOnOccurrence(settings, job, work),
    }),
    fire: jobs.kind('schedules.fire', {
      payload: z.strictObject({
        ...of,
        planned: z.string().nullable(),
        keys: z.array(z.string()),
        run: z.string().nullable(),
      }),
      delaysMs: PATIENT_MS,
      run: (job, work) => workOnFiring(settings, job, work),
    }),
    again: jobs.kind('schedules.again', {
      payload: z.strictObject({ domain: z.string(), firing: z.string(), tries: z.int() }),
      delaysMs: PATIENT_MS,
      run: (job, work) => workOnAgain(settings, job, work),
    }),
    fill: jobs.kind('schedules.fill', {
      payload: z.strictObject({
        ...of,
        text: z.string(),
        stage: z.enum(['clear', 'fill']),
        after: z.string().nullable(),
      }),
      delaysMs: PATIENT_MS,
      run: (job, work) => workOnFilling(settings, job, work),
    }),
  }
}

/** Takes away entries of firings that are over; marks stay for good. */
async function sweep(
  settings: ReadonlyMap<string, Setting>,
  store: Store,
  now: number,
  days: number,
): Promise<void> {
  for (const { tables } of settings.values())
    await sweepLedger({ table: tables.firings, endedAt: FIRING.endedAt, days }, store, now)
}
