import { Postponed, type Work } from '@svc/jobs/contract'
import { SYSTEM } from '@svc/kernel'
import { fillSlice } from '../due/fill.ts'
import { keyOf, keyText, readAmong, readNext } from '../records.ts'
import type { Schedule } from '../schedule.ts'
import type { AgainWork, FillWork, FireWork, OccurrenceWork, Setting } from '../setting.ts'
import { textOf } from '../timing-text.ts'
import { fireAgain } from './again.ts'
import { lookAgain } from './due-after.ts'
import { fireBatch, fireOne, type Firing } from './fire.ts'
import { portionOf } from './portions.ts'

/** How long work waits for a domain that is not in force on this server, in milliseconds. */
const WAIT_MS = 1000

/** The domains in force. */
export type Settings = ReadonlyMap<string, Setting>

function settingOf(settings: Settings, domain: string): Setting {
  const setting = settings.get(domain)
  if (setting === undefined) throw new Postponed(`the domain '${domain}' is not in force here`, WAIT_MS)
  return setting
}

/** Fires for records that were found to be due. */
export async function workOnFiring(settings: Settings, job: FireWork, work: Work): Promise<void> {
  const setting = settingOf(settings, job.domain)
  const schedule = setting.schedules.get(job.schedule)
  if (schedule?.source !== undefined) await fireAmong(schedule, job, work, setting)
  await work.commit(async () => undefined)
}

async function fireAmong(schedule: Schedule, job: FireWork, work: Work, setting: Setting): Promise<void> {
  const { source, timing } = schedule
  const { env, data, heartbeatMs } = setting
  if (source === undefined || (timing.kind === 'recurring') !== (job.planned !== null)) return
  const again = (keys: readonly string[], moment: number) =>
    data.write({ caller: SYSTEM }, (writes) => lookAgain(schedule, keys, moment, writes, setting))
  const isRelative = timing.kind === 'relative' && job.run === null
  // Switched off since it was put: it is looked at once it is on again.
  if (isRelative && !schedule.switch.enabled) return again(job.keys, env.now())
  const found = await readAmong(source, job.keys, data.reader, env.now())
  const keys = found.map((record) => keyText(source, record))
  await fireKeys(firingOf(schedule, job), keys, work, setting)
  const outside = job.keys.filter((key) => !keys.includes(key))
  // What a filter says may change by itself: then nobody else would look again.
  if (isRelative && source.watched === undefined && outside.length > 0)
    await again(outside, env.now() + heartbeatMs)
}

const firingOf = (schedule: Schedule, { planned, run }: Pick<FireWork, 'planned' | 'run'>): Firing => ({
  schedule,
  planned: planned === null ? undefined : Date.parse(planned),
  run,
})

async function fireKeys(
  firing: Firing,
  keys: readonly string[],
  work: Work,
  setting: Setting,
): Promise<void> {
  if (firing.schedule.batched) return keys.length === 0 ? undefined : fireBatch(firing, keys, setting)
  for (const key of keys) {
    work.signal.throwIfAborted()
    await fireOne(firing, key, setting)
  }
}

/**
 * Fires an occurrence: at once where the schedule is about no records, else by work that is shared out among the servers. Of
 * several occurrences each waits until the one before is done.
 */
export async function workOnOccurrence(settings: Settings, job: OccurrenceWork, work: Work): Promise<void> {
  const setting = settingOf(settings, job.domain)
  const schedule = setting.schedules.get(job.schedule)
  const [planned, ...later] = job.planned
  if (schedule?.timing.kind !== 'recurring' || planned === undefined)
    return void (await work.commit(async () => undefined))
  const next = async (more: Partial<OccurrenceWork> | undefined, fire?: FireWork) =>
    work.commit(async (transaction) => {
      if (fire !== undefined) await setting.works.fire.put(transaction, fire)
      if (more !== undefined) await setting.works.occur.put(transaction, { ...job, ...more })
    })
  const rest = later.length === 0 ? undefined : { planned: later, after: null }
  const firing = firingOf(schedule, { planned, run: job.run })
  const { source } = schedule
  if (source === undefined) {
    await fireOne(firing, undefined, setting)
    return next(rest)
  }
  const { env, data } = setting
  const limit = portionOf(schedule)
  const where =
    job.only === null ? [] : [{ op: 'eq' as const, column: source.key, value: keyOf(source, job.only) }]
  const records = await readNext(source, { after: job.after, limit, now: env.now(), where }, data.reader)
  const keys = records.map((record) => keyText(source, record))
  const last = records.length < limit ? undefined : keys.at(-1)
  const onward = last === undefined ? rest : { after: last }
  if (job.planned.length > 1) {
    await fireKeys(firing, keys, work, setting)
    return next(onward)
  }
  const { domain, run } = job
  await next(onward, keys.length === 0 ? undefined : { domain, schedule: schedule.name, planned, keys, run })
}

/** Tries a firing again. */
export const workOnAgain = (settings: Settings, { domain, firing }: AgainWork, work: Work): Promise<void> =>
  fireAgain(firing, work, settingOf(settings, domain))

/** Works out the moments of records for a schedule whose text is new. */
export async function workOnFilling(settings: Settings, job: FillWork, work: Work): Promise<void> {
  const setting = settingOf(settings, job.domain)
  const schedule = setting.schedules.get(job.schedule)
  const { source } = schedule ?? {}
  if (schedule === undefined || source === undefined || textOf(schedule) !== job.text)
    return void (await work.commit(async () => undefined))
  await fillSlice(schedule, source, job, work, setting)
}
