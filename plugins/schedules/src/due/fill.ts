import type { Condition } from '@svc/store/contract'
import type { Work } from '@svc/jobs/contract'
import { momentsOf, withinYears } from '../moment.ts'
import { keyText } from '../records.ts'
import type { Schedule, ScheduleSource } from '../schedule.ts'
import { type FillWork, momentText, type Setting } from '../setting.ts'
import { DUE } from '../tables/due.ts'
import { dueOf } from './upkeep.ts'

/** How many records one transaction works out. */
const SLICE = 1000
const DAY_MS = 86_400_000

/**
 * Works out when the records that are there already are due for a schedule whose text is new: first what another text said
 * goes, then all records are gone through once, a slice at a time. Writes that go on meanwhile keep their records themselves.
 */
export async function fillSlice(
  schedule: Schedule,
  source: ScheduleSource,
  slice: FillWork,
  work: Work,
  setting: Setting,
): Promise<void> {
  if (slice.stage === 'clear') return clearSlice(slice, work, setting)
  const { works, tables, data, stateOf } = setting
  const { firstAt } = stateOf(schedule.name)
  const records = await data.reader.select({
    table: source.resource.table,
    columns: source.resource.columns,
    where: { op: 'and', of: stillDue(schedule, source, slice, firstAt) },
    order: [{ column: source.key, descending: false }],
    limit: SLICE,
  })
  const rows = records.flatMap((record) => {
    const [first] = momentsOf(schedule, record, firstAt)
    if (first === undefined) return []
    const at = momentText(first.at)
    return [{ schedule: schedule.name, recordId: keyText(source, record), at, lookAt: at }]
  })
  const last = records.length < SLICE ? undefined : records.at(-1)
  await work.commit(async (transaction) => {
    if (rows.length > 0) await transaction.insertRows({ table: tables.due, rows, onConflict: 'ignore' })
    if (last !== undefined) await works.fill.put(transaction, { ...slice, after: keyText(source, last) })
  })
}

async function clearSlice(slice: FillWork, work: Work, { works, tables }: Setting): Promise<void> {
  const { due: table } = tables
  await work.commit(async (transaction) => {
    const found = await transaction.select({
      table,
      columns: [DUE.recordId],
      where: dueOf(slice.schedule),
      order: [{ column: DUE.recordId, descending: false }],
      limit: SLICE,
    })
    const keys = found.map(({ recordId }) => String(recordId))
    if (keys.length > 0)
      await transaction.remove({
        table,
        where: { op: 'and', of: [dueOf(slice.schedule), { op: 'in', column: DUE.recordId, values: keys }] },
      })
    await works.fill.put(transaction, { ...slice, stage: found.length < SLICE ? 'fill' : 'clear' })
  })
}

/** The records after the last slice, without those whose date lies so far back that nothing of it counts any more. */
function stillDue(
  { timing, deeds }: Schedule,
  { key, resource }: ScheduleSource,
  { after }: FillWork,
  firstAt: number,
): readonly Condition[] {
  const of: Condition[] = []
  if (after !== null)
    of.push({ op: 'gt', column: key, value: key.kind === 'integer' ? Number(after) : after })
  const { column } = timing.kind === 'relative' ? timing.relativeTo : resource.key
  if (timing.kind !== 'relative' || column === undefined) return [...of, { op: 'never' }]
  const latest = Math.max(0, timing.offset.ms, ...deeds.map(({ daysUntil = 0 }) => -daysUntil * DAY_MS))
  const bound = momentText(withinYears(firstAt - latest * 1.1 - 40 * DAY_MS))
  of.push({ op: 'gte', column, value: timing.isDate ? bound.slice(0, 10) : bound })
  return of
}
