import { hears } from '@svc/automation/contract'
import {
  BEGINNING,
  comparePlaces,
  type EventLedger,
  isAfter,
  type Place,
  type RecordEvent,
} from '@svc/events/contract'
import type { Model } from '@svc/domain/contract'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { heardUpTo } from './heard.ts'
import { ASKING, FOUND, WAIT, type WaitTables } from './tables.ts'
import { type Ending, type HeardEvent, type Lines, originOf, type Resting } from './wait.ts'

/** What the ears of a domain are made of. */
export interface Ear {
  readonly model: Model
  readonly tables: WaitTables
  readonly ledger: EventLedger
  readonly lines: Lines
}

/** How many events are asked about at once. */
const MOST = 20

/** What came of asking about the next events. */
export interface Asked {
  readonly ending: Extract<Ending, { by: 'event' }> | undefined
  /** Where to go on; undefined where nothing is left that may end the rest. */
  readonly next: Place | undefined
}

/** Asks the filter of a rest about the next events that were found for it, in their order, up to its deadline. */
export async function askNext(
  ear: Ear,
  resting: Resting,
  after: Place,
  transaction: Transaction,
): Promise<Asked> {
  const places = await candidatesOf(ear, resting, after, transaction)
  const at = { after: BEGINNING, at: places, limit: MOST, isHeld: true } as const
  const events = places.length === 0 ? [] : await ear.ledger.read(transaction, at)
  for (const event of events) {
    if (resting.until !== null && event.at > resting.until) return { ending: undefined, next: undefined }
    if (await isAwaited(event, resting, transaction)) return { ending: endingBy(event), next: undefined }
  }
  if (places.length > 0) await forget(ear, resting.line, places, transaction)
  return { ending: undefined, next: places.length < MOST ? undefined : places.at(-1) }
}

/** Whether an event ends a rest. */
export async function isAwaited(
  event: RecordEvent,
  resting: Resting,
  transaction: Transaction,
): Promise<boolean> {
  const { wait, instance } = resting
  if (event.origin === originOf(instance) || !hears(wait.trigger, event)) return false
  return wait.filter === undefined || wait.filter.holds(await resting.context(transaction, heardOf(event)))
}

const heardOf = ({ record, previous, transition }: RecordEvent): HeardEvent => ({
  record,
  previous,
  transition,
})

const endingBy = (event: RecordEvent): NonNullable<Asked['ending']> => ({
  by: 'event',
  event: heardOf(event),
  heard: heardUpTo(event.place),
  depth: event.depth,
})

const byPlace = (of: Readonly<Record<keyof Place, (typeof FOUND)['batch']>>) =>
  [of.batch, of.number].map((column) => ({ column, descending: false }))

export const placeOfRow = (row: Row): Place => ({
  batch: Number(row['batch']),
  number: Number(row['number']),
})

/** The next events that may end a rest: those that were found for it, and those that it is still to be told of. */
async function candidatesOf(
  ear: Ear,
  { line }: Resting,
  after: Place,
  transaction: Transaction,
): Promise<readonly Place[]> {
  const { found, waits } = ear.tables
  const own: Condition = { op: 'eq', column: FOUND.line, value: line }
  const rows = await transaction.select({
    table: found,
    columns: [FOUND.batch, FOUND.number],
    where: { op: 'and', of: [own, isAfter(after, FOUND)] },
    order: byPlace(FOUND),
    limit: MOST,
  })
  const [wait] = await transaction.select({
    table: waits,
    columns: [WAIT.ear, WAIT.batch, WAIT.number],
    where: { op: 'eq', column: WAIT.line, value: line },
    order: [],
  })
  if (wait === undefined) return []
  const from = [after, placeOfRow(wait)].toSorted(comparePlaces)[1]!
  const untold = await askingOf(ear, String(wait['ear']), from, transaction)
  return [...rows.map(placeOfRow), ...untold].toSorted(comparePlaces).slice(0, MOST)
}

/** The events that all who hear by an ear are still being told of, behind a place. */
export async function askingOf(
  { tables }: Ear,
  ear: string,
  after: Place,
  transaction: Transaction,
): Promise<readonly Place[]> {
  const rows = await transaction.select({
    table: tables.asking,
    columns: [ASKING.batch, ASKING.number],
    where: { op: 'and', of: [{ op: 'eq', column: ASKING.ear, value: ear }, isAfter(after, ASKING)] },
    order: byPlace(ASKING),
    limit: MOST,
  })
  return rows.map(placeOfRow)
}

async function forget(
  { tables }: Ear,
  line: string,
  places: readonly Place[],
  transaction: Transaction,
): Promise<void> {
  const where: Condition = {
    op: 'and',
    of: [
      { op: 'eq', column: FOUND.line, value: line },
      { op: 'in', column: FOUND.number, values: places.map(({ number }) => number) },
    ],
  }
  await transaction.remove({ table: tables.found, where })
}
