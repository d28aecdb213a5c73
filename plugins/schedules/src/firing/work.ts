import { Postponed, type Work } from '@svc/jobs/contract'
import { SYSTEM } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { fillSlice } from '../due/fill.ts'
import { keyText, onlyOf, readAmong, readNext, sourced } from '../records.ts'
import type { Schedule } from '../schedule.ts'
import type { AgainWork, FillWork, FireWork, OccurrenceWork, Setting } from '../setting.ts'
import { textOf } from '../timing-text.ts'
import { fireAgain } from './again.ts'
import { lookAgain } from './due-after.ts'
import { judge } from './judge.ts'
import { fireBatch, fireOne, type Firing } from './fire.ts'
import { BATCH, portionOf, portions } from './portions.ts'

/** How long work waits for a domain that is not in force on this server, in milliseconds. */
const WAIT_MS = 1000

/** How many records of one piece are fired at once: transactions that wait together may share a sync to the disk. */
const ABREAST = 8

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
  const firing = firingOf(schedule, job)
  const records = sourced(schedule, firing.planned, setting)
  const found = await readAmong(source, job.keys, records, data.reader)
  const keys = found.map((record) => keyText(source, record))
  await fireKeys(firing, keys, work, setting)
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
  if (firing.schedule.batched)
    return keys.length === 0 ? undefined : fireBatch(firing, keys, work.signal, setting)
  for (let at = 0; at < keys.length; at += ABREAST) {
    work.signal.throwIfAborted()
    const some = keys.slice(at, at + ABREAST)
    const ended = await Promise.allSettled(some.map((key) => fireOne(firing, key, setting)))
    const failed = ended.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}

/**
 * Fires an occurrence: at once where the schedule is about no records, else by work that is shared out among the servers. Of
 * several occurrences each waits until the one before is done. A relative schedule that is run by hand has one, of no moment.
 */
export async function workOnOccurrence(settings: Settings, job: OccurrenceWork, work: Work): Promise<void> {
  const setting = settingOf(settings, job.domain)
  const schedule = setting.schedules.get(job.schedule)
  const [planned, ...later] = job.planned
  if (schedule === undefined || (schedule.timing.kind === 'recurring') !== (planned !== undefined))
    return void (await work.commit(async () => undefined))
  const rest = later.length === 0 ? undefined : { planned: later, after: null }
  const { source } = schedule
  const about = { planned: planned ?? null, run: job.run }
  if (source === undefined) {
    await fireOne(firingOf(schedule, about), undefined, setting)
    return goOn(job, rest, [], work, setting)
  }
  const isAlone = job.planned.length <= 1
  const limit = isAlone ? BATCH : portionOf(schedule)
  const firing = firingOf(schedule, about)
  const asked = onlyOf(source, job.only, sourced(schedule, firing.planned, setting))
  const records = await readNext(source, { after: job.after, limit, records: asked }, setting.data.reader)
  const last = records.length < limit ? undefined : records.at(-1)
  const onward = last === undefined ? rest : { after: keyText(source, last) }
  const keys = await keysAmong(records, firing, setting)
  if (!isAlone) await fireKeys(firing, keys, work, setting)
  const shares = isAlone ? portions(schedule, keys) : []
  const { domain, schedule: name } = job
  const put = shares.map((share) => ({ domain, schedule: name, ...about, keys: [...share] }))
  return goOn(job, onward, put, work, setting)
}

/** Ends a piece of an occurrence with what comes of it: the next piece, and the records that are to be fired. */
const goOn = (
  job: OccurrenceWork,
  more: Partial<OccurrenceWork> | undefined,
  fires: readonly FireWork[],
  work: Work,
  { works }: Setting,
): Promise<void> =>
  work.commit(async (transaction) => {
    for (const fire of fires) await works.fire.put(transaction, fire)
    if (more !== undefined) await works.occur.put(transaction, { ...job, ...more })
  })

/** The keys of the records that are fired for. Of a run they are looked at here: most may have nothing that is due. */
async function keysAmong(
  records: readonly Row[],
  { schedule, planned, run }: Firing,
  setting: Setting,
): Promise<readonly string[]> {
  const { source } = schedule
  if (source === undefined) return []
  if (run === null) return records.map((record) => keyText(source, record))
  const verdicts = await judge(schedule, records, planned, setting.data.reader, setting)
  return verdicts.map(({ recordId }) => recordId)
}

/** Tries a firing again. */
export const workOnAgain = (settings: Settings, job: AgainWork, work: Work): Promise<void> =>
  fireAgain(job, work, settingOf(settings, job.domain))

/** Works out the moments of records for a schedule whose text is new. */
export async function workOnFilling(settings: Settings, job: FillWork, work: Work): Promise<void> {
  const setting = settingOf(settings, job.domain)
  const schedule = setting.schedules.get(job.schedule)
  const { source } = schedule ?? {}
  if (schedule === undefined || source === undefined || textOf(schedule) !== job.text)
    return void (await work.commit(async () => undefined))
  await fillSlice(schedule, source, job, work, setting)
}
