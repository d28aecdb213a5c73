import { isAfter, type RecordEvent, type Taken } from '@svc/events/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { LINE, lineTable } from '../tables/lines.ts'
import type { Ear } from './candidates.ts'
import { earsOf, type KeyFields, keyFieldsOf } from './ear.ts'
import { heardUpTo, heardUpToMark } from './heard.ts'
import type { DomainJob, HearJob } from './jobs.ts'
import { ASKING, FOUND, WAIT } from './tables.ts'

/** How many rests that hear an event by one ear are written down at once. */
const FEW = 200

/** The jobs that finding puts. */
export interface WaitJobs {
  readonly hear: JobKind<HearJob>
  readonly ask: JobKind<DomainJob>
}

/** Writes down which rests the next events may end. */
export async function find(
  ear: Ear,
  jobs: WaitJobs,
  { events, marks }: Taken,
  transaction: Transaction,
): Promise<void> {
  const table = lineTable(ear.model)
  for (const { mark, place } of marks)
    await transaction.update({
      table,
      set: { heard: heardUpTo(place) },
      where: { op: 'eq', column: LINE.heard, value: heardUpToMark(mark) },
    })
  if (events.length === 0) return
  const fields = keyFieldsOf(await ear.lines.awaited(transaction))
  const lines = new Map<string, number>()
  let isMany = false
  for (const event of events) {
    const one = await findOne(ear, event, fields, transaction)
    isMany ||= one.isMany
    for (const row of one.found) lines.set(String(row['line']), Number(row['turn']))
  }
  const domain = ear.model.name
  for (const [line, turn] of lines) await jobs.hear.put(transaction, { domain, line, turn })
  if (isMany) await jobs.ask.put(transaction, { domain })
}

async function findOne(
  ear: Ear,
  event: RecordEvent,
  fields: KeyFields,
  transaction: Transaction,
): Promise<{ readonly found: readonly Row[]; readonly isMany: boolean }> {
  const found: Row[] = []
  let isMany = false
  for (const own of earsOf(event, fields)) {
    const rows = await hearing(ear, event, own, transaction)
    if (rows.length <= FEW) found.push(...rows)
    else {
      // All of them are told in turn, so that nobody hears this event after a later one.
      const asking = { ...event.place, ear: own, after: null }
      await transaction.insert({ table: ear.tables.asking, values: asking, onConflict: 'ignore' })
      isMany = true
    }
  }
  await note(ear, event, found, transaction)
  return { found, isMany }
}

/** The lines that rest by an ear, since before the event; in the order of the index that has both. */
function hearing(
  { tables }: Ear,
  { place }: RecordEvent,
  ear: string,
  transaction: Transaction,
): Promise<readonly Row[]> {
  const own: Condition = { op: 'eq', column: WAIT.ear, value: ear }
  const later = isAfter({ ...place, number: place.number - 1 }, WAIT)
  return transaction.select({
    table: tables.waits,
    columns: [WAIT.line, WAIT.turn],
    where: { op: 'and', of: [own, { op: 'not', of: later }] },
    order: [WAIT.ear, WAIT.line].map((column) => ({ column, descending: false })),
    limit: FEW + 1,
  })
}

/** Writes down that an event may end rests. */
export async function note(
  { tables }: Ear,
  { place }: RecordEvent,
  lines: readonly Row[],
  transaction: Transaction,
): Promise<void> {
  if (lines.length === 0) return
  const rows = lines.map((row) => ({ [FOUND.line.name]: String(row['line']), ...place }))
  await transaction.insertRows({ table: tables.found, rows, onConflict: 'ignore' })
}

/** The column by which the events that many hear are told in turn. */
export const askingOrder = [ASKING.batch, ASKING.number, ASKING.ear].map((column) => ({
  column,
  descending: false,
}))
