import { hears } from '@svc/automation/contract'
import type { Data, Model } from '@svc/domain/contract'
import {
  BEGINNING,
  comparePlaces,
  type EventLedger,
  type Having,
  type Place,
  type RecordEvent,
  type Taken,
} from '@svc/events/contract'
import { type Close, SYSTEM } from '@svc/kernel'
import type { Condition, Row, Table, Transaction, Value } from '@svc/store/contract'
import { LINE, lineTable } from '../tables/lines.ts'
import { askNext, askingOf, type Ear, placeOfRow } from './candidates.ts'
import { earOfWait, type KeyFields, keyFieldsOf, keyOf } from './ear.ts'
import { find, note, type WaitJobs } from './find.ts'
import { heardUpTo, heardUpToMark, placeOf } from './heard.ts'
import { needsOf } from './need.ts'
import { FOUND, WAIT, type WaitTables, waitTablesOf } from './tables.ts'
import { type Ending, type Lines, originOf, type Resting, type Waits } from './wait.ts'

/** The name by which waits read the ledger of events. */
export const READER = 'workflows'

const later = (a: Place, b: Place): Place => (comparePlaces(a, b) < 0 ? b : a)
const earlier = (a: Place, b: Place): Place => (comparePlaces(a, b) < 0 ? a : b)

/** How many events are looked at at once as a line comes to rest. */
const CHUNK = 200

export interface EarsOptions {
  readonly model: Model
  readonly lines: Lines
  readonly ledger: EventLedger
  readonly jobs: WaitJobs
  /** Takes note of ears that hear, until what it returns is called. */
  enter(ears: Ears, data: Data): () => void
}

/** The ears of a domain's waits. */
export class Ears implements Waits, Ear {
  readonly model: Model
  readonly lines: Lines
  readonly ledger: EventLedger
  readonly tables: WaitTables & Readonly<Record<string, Table>>
  readonly #jobs: WaitJobs
  readonly #enter: EarsOptions['enter']
  readonly #lineTable: Table

  constructor({ model, lines, ledger, jobs, enter }: EarsOptions) {
    this.model = model
    this.lines = lines
    this.ledger = ledger
    this.tables = { ...waitTablesOf(model) }
    this.#jobs = jobs
    this.#enter = enter
    this.#lineTable = lineTable(model)
  }

  open(data: Data): Close {
    return this.#enter(this, data)
  }

  async now(transaction: Transaction): Promise<string> {
    return heardUpToMark(await this.ledger.mark(transaction))
  }

  async catchUp(): Promise<void> {
    await this.ledger.catchUp()
  }

  async rest(transaction: Transaction, resting: Resting): Promise<void> {
    const { line, turn, wait, heard } = resting
    const end = await this.ledger.hold(transaction)
    const from = await placeOf(heard, { ledger: this.ledger, end }, transaction)
    const key = keyOf(wait)
    const value = key === undefined ? null : key.value(await resting.context(transaction))
    const ear = earOfWait(wait, key, value)
    const place = later(from, end)
    await transaction.insert({ table: this.tables.waits, values: { line, turn, ear, ...place } })
    await this.#hears(line, null, transaction)
    const fixed = key && { field: key.field, value }
    const isFound = await this.#findEarlier(resting, from, fixed, transaction)
    if (isFound) await this.#jobs.hear.put(transaction, { domain: this.model.name, line, turn })
  }

  async atDeadline(transaction: Transaction, resting: Resting): Promise<Ending> {
    for (let after: Place | undefined = BEGINNING; after !== undefined;) {
      const asked = await askNext(this, resting, after, transaction)
      if (asked.ending) return asked.ending
      after = asked.next
    }
    const moment = resting.until
    if (moment === null) throw new Error('a rest without an end has no deadline')
    const [row] = await this.#waitsOf([resting.line], transaction)
    const rested = row === undefined ? BEGINNING : placeOfRow(row)
    const asked = later(rested, await this.ledger.takenBy(transaction, READER))
    return {
      by: 'timeout',
      heard: heardUpTo(earlier(asked, await this.#before(moment, rested, transaction))),
    }
  }

  async heardBy(transaction: Transaction, moment: string, heard: string | null): Promise<string> {
    const end = await this.ledger.hold(transaction)
    const from = heard === null ? BEGINNING : await placeOf(heard, { ledger: this.ledger, end }, transaction)
    return heardUpTo(await this.#before(moment, from, transaction))
  }

  async leave(transaction: Transaction, lines: readonly string[]): Promise<void> {
    const { found, waits } = this.tables
    const rows = await this.#waitsOf(lines, transaction)
    if (rows.length === 0) return
    const taken = await this.ledger.takenBy(transaction, READER)
    for (const row of rows) {
      const place = await this.#askedUpTo(row, taken, transaction)
      await this.#hears(String(row['line']), heardUpTo(place), transaction)
    }
    await transaction.remove({ table: found, where: { op: 'in', column: FOUND.line, values: lines } })
    await transaction.remove({ table: waits, where: { op: 'in', column: WAIT.line, values: lines } })
  }

  #waitsOf(lines: readonly string[], transaction: Transaction): Promise<readonly Row[]> {
    const { waits: table } = this.tables
    const where: Condition = { op: 'in', column: WAIT.line, values: lines }
    return transaction.select({ table, columns: table.columns, where, order: [] })
  }

  /** The place, behind another, up to which everything was written by a moment. */
  async #before(moment: string, after: Place, transaction: Transaction): Promise<Place> {
    const end = await this.ledger.hold(transaction)
    const [next] = await this.ledger.read(transaction, { after, since: moment, limit: 1 })
    return next === undefined ? later(after, end) : { ...next.place, number: next.place.number - 1 }
  }

  /** Finds which rests the next events may end. */
  take(taken: Taken, transaction: Transaction): Promise<void> {
    return find(this, this.#jobs, taken, transaction)
  }

  /** The fields that waits fix. */
  async keys(transaction: Transaction): Promise<KeyFields> {
    return keyFieldsOf(await this.lines.awaited(transaction))
  }

  /** The first places that lines may still ask for, by resource. */
  needs(transaction: Transaction): Promise<ReadonlyMap<string, Place>> {
    return needsOf(this, transaction)
  }

  /** Asks about what was found for a line, and wakes it where that ends its rest. */
  async hear(data: Data, line: string, turn: number): Promise<void> {
    for (let after: Place | undefined = BEGINNING; after !== undefined;) {
      const from: Place = after
      after = await data.write({ caller: SYSTEM }, (writes) => this.#hear(line, turn, from, writes))
    }
  }

  async #hear(
    line: string,
    turn: number,
    after: Place,
    transaction: Transaction,
  ): Promise<Place | undefined> {
    const resting = await this.lines.resting(transaction, line, turn)
    if (resting === undefined) return undefined
    const { ending, next } = await askNext(this, resting, after, transaction)
    if (ending) await this.lines.wake(transaction, line, turn, ending)
    return next
  }

  /** Writes down what may end a rest of all that the line has not heard and that is in a batch; whether that was anything. */
  async #findEarlier(
    { line, instance, wait }: Resting,
    from: Place,
    fixed: { readonly field: string; readonly value: Value } | undefined,
    transaction: Transaction,
  ): Promise<boolean> {
    const asked = { after: from, resource: wait.trigger.resource.name }
    const events = fixed
      ? this.ledger.having(transaction, { reader: READER, ...asked, ...fixed })
      : this.#all(asked, transaction)
    let isFound = false
    for await (const event of events) {
      if (event.origin === originOf(instance) || !hears(wait.trigger, event)) continue
      await note(this, event, [{ line }], transaction)
      isFound = true
    }
    return isFound
  }

  async *#all(
    { after: from, resource }: Pick<Having, 'after' | 'resource'>,
    transaction: Transaction,
  ): AsyncGenerator<RecordEvent> {
    for (let after: Place | undefined = from; after !== undefined;) {
      const events: readonly RecordEvent[] = await this.ledger.read(transaction, {
        after,
        resource,
        limit: CHUNK,
      })
      yield* events
      after = events.length < CHUNK ? undefined : events.at(-1)?.place
    }
  }

  /**
   * How far a line has heard whose rest ended without an event: up to the first that was not asked about, be it that it was
   * found, or that it was not taken yet.
   */
  async #askedUpTo(row: Row, taken: Place, transaction: Transaction): Promise<Place> {
    const [first] = await transaction.select({
      table: this.tables.found,
      columns: [FOUND.batch, FOUND.number],
      where: { op: 'eq', column: FOUND.line, value: String(row['line']) },
      order: [FOUND.batch, FOUND.number].map((column) => ({ column, descending: false })),
      limit: 1,
    })
    const [untold] = await askingOf(this, String(row['ear']), placeOfRow(row), transaction)
    const open = [...(first ? [placeOfRow(first)] : []), ...(untold ? [untold] : [])].toSorted(
      comparePlaces,
    )[0]
    return open === undefined ? later(placeOfRow(row), taken) : { ...open, number: open.number - 1 }
  }

  /** Says how far a line has heard; null while it rests: what was found for it says more then. */
  async #hears(line: string, heard: string | null, transaction: Transaction): Promise<void> {
    const where: Condition = { op: 'eq', column: LINE.id, value: line }
    await transaction.update({ table: this.#lineTable, set: { heard }, where })
  }
}
