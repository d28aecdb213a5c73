import { failureOf } from '@svc/automation/contract'
import { passedOver, type Writes } from '@svc/domain/contract'
import { type AppError, errors, SYSTEM } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Work } from '@svc/jobs/contract'
import { contextOf } from '../context.ts'
import { firstMoment } from '../due/upkeep.ts'
import { keyOf, present } from '../records.ts'
import type { Deed, Schedule } from '../schedule.ts'
import { type AgainWork, momentText, ORIGIN, readOne, type Setting } from '../setting.ts'
import { type Done, doBatch, doOne } from './deeds.ts'
import { changeEntry } from './entries.ts'
import { failAgain } from './failing.ts'
import type { DueDeed } from './judge.ts'

/** Tries a firing again that is entered and marked already; nothing happens where it does not wait for that any more. */
export async function fireAgain(
  { firing: id, tries }: AgainWork,
  work: Work,
  setting: Setting,
): Promise<void> {
  const { data, tables } = setting
  const waiting = async (writes: Writes): Promise<Row | undefined> => {
    const entry = await readOne(writes, tables.firings, { id }, true)
    return entry?.['status'] === 'running' ? entry : undefined
  }
  try {
    await data.write(
      { caller: SYSTEM },
      async (writes) => {
        const entry = await waiting(writes)
        if (entry !== undefined) await succeed(entry, writes, setting)
        await work.complete(writes)
      },
      { origin: ORIGIN },
    )
  } catch (error) {
    await data.write({ caller: SYSTEM }, async (writes) => {
      const entry = await waiting(writes)
      if (entry !== undefined)
        await changeEntry(writes, entry, await failAgain(entry, tries, error, writes, setting), setting)
      await work.complete(writes)
    })
  }
}

async function succeed(entry: Row, writes: Writes, setting: Setting): Promise<void> {
  const schedule = setting.schedules.get(String(entry['schedule']))
  const deed = schedule?.deeds.find(({ key }) => key === entry['deed'])
  if (schedule === undefined || deed === undefined)
    throw errors.NOT_FOUND({
      message: `The definition has no schedule '${String(entry['schedule'])}' of this kind any more`,
    })
  const { done, why } = await redo(entry, schedule, deed, writes, setting)
  const at = momentText(setting.env.now())
  const set = {
    status: done === undefined ? 'skipped' : 'fired',
    attempts: Number(entry['attempts']) + 1,
    firedAt: at,
    endedAt: at,
    result: done?.result ?? null,
    error: why === undefined ? null : { ...failureOf(why) },
    errors: [...(done?.errors ?? [])],
  }
  await changeEntry(writes, entry, set, setting)
}

/** What came of it: nothing where all of its records are passed over by now. */
interface Redone {
  readonly done?: Done
  readonly why?: AppError | undefined
}

async function redo(
  entry: Row,
  schedule: Schedule,
  deed: Deed,
  writes: Writes,
  setting: Setting,
): Promise<Redone> {
  const doing = { schedule, writes, id: String(entry['id']), setting }
  const { records, recordId } = entry
  if (Array.isArray(records)) {
    const rows = await read(schedule, records.map(String), writes)
    if (rows.length === 0) throw gone(schedule)
    const passed = await passedAmong(schedule, rows, writes)
    const left = rows.filter((row) => !passed.has(row))
    if (left.length === 0) return { why: [...passed.values()][0] }
    const batch = await Promise.all(
      left.map((record) => dueOf(entry, schedule, deed, record, writes, setting)),
    )
    return { done: await doBatch(batch, doing) }
  }
  const [record] =
    recordId === null || recordId === undefined ? [] : await read(schedule, [String(recordId)], writes)
  if (recordId !== null && record === undefined) throw gone(schedule)
  const passed = await passedAmong(schedule, present([record]), writes)
  if (passed.size > 0) return { why: [...passed.values()][0] }
  return { done: await doOne(await dueOf(entry, schedule, deed, record, writes, setting), doing) }
}

/** Those of some records that are passed over by now, with the reason. */
async function passedAmong(
  { source }: Schedule,
  rows: readonly Row[],
  writes: Writes,
): Promise<ReadonlyMap<Row, AppError>> {
  if (source === undefined) return new Map()
  const passed = await passedOver(source.resource, rows, writes)
  return new Map(
    rows.flatMap((row) => {
      const why = passed.get(row[source.key.name] ?? null)
      return why === undefined ? [] : [[row, why] as const]
    }),
  )
}

const gone = ({ source }: Schedule) =>
  errors.NOT_FOUND({ message: `The record of '${source?.resource.name ?? ''}' is not there any more` })

async function read({ source }: Schedule, keys: readonly string[], writes: Writes): Promise<readonly Row[]> {
  if (source === undefined) return []
  return writes.select({
    table: source.resource.table,
    columns: source.resource.columns,
    where: { op: 'in', column: source.key, values: keys.map((key) => keyOf(source, key)) },
    order: [{ column: source.key, descending: false }],
    lock: true,
  })
}

async function dueOf(
  entry: Row,
  schedule: Schedule,
  deed: Deed,
  record: Row | undefined,
  writes: Writes,
  setting: Setting,
): Promise<DueDeed> {
  const plannedAt = Date.parse(String(entry['plannedAt']))
  const { source } = schedule
  const nextAt = nextAfter(schedule, record, plannedAt, setting)
  const context = await contextOf(
    schedule,
    { record, plannedAt, nextAt },
    { expressions: deed.expressions, reader: writes },
    setting,
  )
  const recordId = record === undefined || source === undefined ? '' : String(record[source.key.name])
  return { deed, record, recordId, tag: String(entry['tag'] ?? ''), plannedAt, nextAt, context }
}

function nextAfter(
  schedule: Schedule,
  record: Row | undefined,
  plannedAt: number,
  { env, stateOf }: Setting,
): number | undefined {
  const { timing, zone, name } = schedule
  const { firstAt, since } = stateOf(name)
  if (timing.kind === 'recurring') return timing.recurrence.next(plannedAt, zone, since)
  return record && firstMoment(schedule, record, { from: env.now(), firstAt })
}
