import type { RecordEvent, Taken } from '@svc/events/contract'
import type { JobKind } from '@svc/jobs/contract'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { LINE, lineTable } from '../tables/lines.ts'
import { behind, type Ear } from './candidates.ts'
import { earsOf, type KeyFields, keyFieldsOf } from './ear.ts'
import { heardUpTo, heardUpToMark } from './heard.ts'
import type { DomainJob, HearJob } from './jobs.ts'
import { ASKING, FOUND, WAIT } from './tables.ts'

/** Rests that an event may end, up to which they are written down at once. */
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
    const found = await findOne(ear, event, fields, transaction)
    if (found === 'many') isMany = true
    else for (const row of found) lines.set(String(row['line']), Number(row['turn']))
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
): Promise<readonly Row[] | 'many'> {
  const ears = earsOf(event, fields)
  const rows = await hearing(ear, event, ears, transaction)
  if (rows.length <= FEW) {
    await note(ear, event, rows, transaction)
    return rows
  }
  // All of them are told in turn, so that nobody hears this event after a later one.
  const asking = ears.map((one) => ({ ...event.place, ear: one, after: null }))
  await transaction.insertRows({ table: ear.tables.asking, rows: asking, onConflict: 'ignore' })
  return 'many'
}

/** The lines that rest by one of these ears, since before the event. */
function hearing(
  { tables }: Ear,
  { place }: RecordEvent,
  ears: readonly string[],
  transaction: Transaction,
): Promise<readonly Row[]> {
  const own: Condition = { op: 'in', column: WAIT.ear, values: ears }
  const later = behind({ ...place, number: place.number - 1 }, WAIT)
  return transaction.select({
    table: tables.waits,
    columns: [WAIT.line, WAIT.turn],
    where: { op: 'and', of: [own, { op: 'not', of: later }] },
    order: [],
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
