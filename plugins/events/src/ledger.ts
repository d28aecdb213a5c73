import type { Data, Model, Resource } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Order, Reader, Row, Transaction } from '@svc/store/contract'
import {
  type AskedEvents,
  BEGINNING,
  comparePlaces,
  type EventLedger,
  type EventReader,
  type Having,
  type Place,
  type RecordEvent,
  type Standing,
  type ToldEvent,
} from './contract.ts'
import { Interests } from './interests.ts'
import { foundBehind, hasValue, index, placesOf } from './keys.ts'
import { isAfter, isBetween } from './order.ts'
import { ONE_BATCH } from './place.ts'
import { movePosition, positionOf } from './positions.ts'
import { prune } from './prune.ts'
import { eventIn, markRow, placeIn, toldRow } from './rows.ts'
import { EVENT, LEDGER, type Tables } from './tables.ts'

/** How many events are read at once, and taken by a reader in one transaction. */
const CHUNK = 200

export const inOrder: readonly Order[] = [EVENT.batch, EVENT.number].map((column) => ({
  column,
  descending: false,
}))

const later = (a: Place, b: Place): Place => (comparePlaces(a, b) < 0 ? b : a)

const hearsAll = (reader: EventReader): boolean => reader.hearsAll?.() === true

/** What a ledger needs besides its model. */
export interface LedgerTools {
  readonly readers: ReadonlyMap<string, EventReader>
  readonly newMark: () => string
  readonly now: () => number
  /** How long events are kept for those outside, in milliseconds; 0: they are not. */
  readonly retentionMs: number
  /** Whether the store commits in the order of numbers. */
  readonly isOrdered: boolean
}

/** The events of the domain of one model. */
export class Ledger implements EventLedger {
  readonly model: Model
  readonly tables: Tables
  readonly interests: Interests
  /** The batch that events come in; null: they come into the next that is made up. */
  readonly batch: number | null
  readonly #tools: LedgerTools
  readonly #watching = new Set<() => void>()
  #data: Data | undefined
  /** The end of what is there as it was when it was last looked for what may go. */
  #passed: Place = BEGINNING

  constructor(model: Model, tables: Tables, tools: LedgerTools) {
    this.model = model
    this.tables = tables
    this.interests = new Interests(model, tools.readers)
    this.batch = tools.isOrdered ? ONE_BATCH : null
    this.#tools = tools
  }

  /** Whether some reader wants what is committed of a resource at once. */
  isAwaited(resource: Resource): boolean {
    if (this.#tools.readers.size === 0) return false
    return !this.interests.isQuiet(resource) || [...this.#tools.readers.values()].some(hearsAll)
  }

  /** Something of this server is committed. */
  noteCommit(): void {
    for (const look of this.#watching) look()
  }

  watch(look: () => void): () => void {
    const watching = () => look()
    this.#watching.add(watching)
    return () => void this.#watching.delete(watching)
  }

  async tell(transaction: Transaction, told: ToldEvent): Promise<void> {
    if (this.#tools.retentionMs === 0) return
    await transaction.insert({ table: this.tables.events, values: toldRow(told, this.batch) })
  }

  async find(reader: Pick<Reader, 'select'>, id: string): Promise<Place | undefined> {
    const where: Condition = { op: 'eq', column: EVENT.id, value: id }
    const columns = [EVENT.batch, EVENT.number]
    const [row] = await reader.select({ table: this.tables.events, columns, where, order: [], limit: 1 })
    return row === undefined || row['batch'] === null ? undefined : placeIn(row)
  }

  last(reader: Pick<Reader, 'select'>): Promise<Standing | undefined> {
    const isThere: Condition = { op: 'not', of: { op: 'null', column: EVENT.batch } }
    return this.#standing(reader, isThere, { order: inOrder.map((one) => ({ ...one, descending: true })) })
  }

  async ahead(reader: Pick<Reader, 'select'>, after: Place, many: number): Promise<Standing | undefined> {
    const last = await this.last(reader)
    if (last === undefined || comparePlaces(last.place, after) <= 0) return undefined
    return (await this.#standing(reader, isAfter(after, EVENT), { order: inOrder, offset: many - 1 })) ?? last
  }

  /** One of those that are told outside. */
  async #standing(
    reader: Pick<Reader, 'select'>,
    where: Condition,
    which: { readonly order: readonly Order[]; readonly offset?: number },
  ): Promise<Standing | undefined> {
    const isTold: Condition = { op: 'not', of: { op: 'null', column: EVENT.id } }
    const [row] = await reader.select({
      table: this.tables.events,
      columns: [EVENT.id, EVENT.batch, EVENT.number],
      where: { op: 'and', of: [where, isTold] },
      ...which,
      limit: 1,
    })
    return row && { id: String(row['id']), place: placeIn(row) }
  }

  /** From now on, and until it is handed nothing, the ledger may be caught up with. */
  open(data: Data | undefined): void {
    this.#data = data
  }

  async mark(transaction: Transaction): Promise<string> {
    const { newMark, now } = this.#tools
    const mark = newMark()
    const values = markRow(mark, new Date(now()).toISOString(), this.batch)
    await transaction.insert({ table: this.tables.events, values })
    return mark
  }

  async placeOf(transaction: Transaction, mark: string): Promise<Place | undefined> {
    const [row] = await transaction.select({
      table: this.tables.events,
      columns: [EVENT.batch, EVENT.number],
      where: { op: 'eq', column: EVENT.mark, value: mark },
      order: [],
      limit: 1,
    })
    if (row === undefined || row['batch'] !== null) return row && placeIn(row)
    return { ...(await this.hold(transaction)), number: Number(row['number']) }
  }

  hold(transaction: Transaction): Promise<Place> {
    return this.#end(transaction, 'shared')
  }

  /** Behind all that is there, before all that is to come. */
  async #end(transaction: Transaction, lock?: 'shared'): Promise<Place> {
    if (this.batch === null) {
      const { batch } = await positionOf(this.tables, LEDGER, transaction, lock)
      return { batch: batch + 1, number: 0 }
    }
    const [last] = await transaction.select({
      table: this.tables.events,
      columns: [EVENT.number],
      where: { op: 'always' },
      order: [{ column: EVENT.number, descending: true }],
      limit: 1,
    })
    return { batch: this.batch, number: Number(last?.['number'] ?? 0) }
  }

  takenBy(transaction: Transaction, reader: string): Promise<Place> {
    return positionOf(this.tables, reader, transaction)
  }

  async read(reader: Pick<Reader, 'select'>, asked: AskedEvents): Promise<readonly RecordEvent[]> {
    const rows = await this.#rows(reader, asked)
    return rows.filter(({ mark }) => mark === null).map((row) => eventIn(row, this.model))
  }

  async *having(transaction: Transaction, asked: Having): AsyncGenerator<RecordEvent> {
    const { tables } = this
    // What is in a batch and has not been taken yet is found by no key.
    const taken = await this.takenBy(transaction, asked.reader)
    const behind = later(asked.after, (await foundBehind(tables, asked, transaction)) ?? taken)
    yield* this.#among(transaction, asked, asked.after, behind)
    for (let after = behind; comparePlaces(after, taken) < 0;) {
      const at = await placesOf(tables, asked, { after, upTo: taken, limit: CHUNK }, transaction)
      if (at.length === 0) break
      yield* await this.read(transaction, { after, at })
      after = at.at(-1)!
    }
    yield* this.#among(transaction, asked, later(behind, taken))
  }

  /** The same of a stretch, all of whose events of the resource are looked at. */
  async *#among(
    transaction: Transaction,
    asked: Having,
    from: Place,
    upTo?: Place,
  ): AsyncGenerator<RecordEvent> {
    const { resource } = asked
    for (let after: Place | undefined = from; after !== undefined;) {
      if (upTo !== undefined && comparePlaces(after, upTo) >= 0) return
      const stretch = { after, resource, limit: CHUNK, ...(upTo && { upTo }) }
      const events: readonly RecordEvent[] = await this.read(transaction, stretch)
      for (const event of events) if (hasValue(event, asked)) yield event
      after = events.length < CHUNK ? undefined : events.at(-1)!.place
    }
  }

  async catchUp(): Promise<boolean> {
    const data = this.#data
    if (data === undefined || (await this.#isEmpty(data))) return false
    const isNew = await this.#makeUp(data)
    let isTaken = false
    for (const reader of await this.#busy(data)) while (await this.#hand(data, reader)) isTaken = true
    return isNew || isTaken
  }

  async gather(): Promise<boolean> {
    return this.#data !== undefined && this.#makeUp(this.#data)
  }

  /** Takes away what nobody needs any more. */
  async prune(): Promise<void> {
    const data = this.#data
    if (data === undefined) return
    const { readers, retentionMs, now } = this.#tools
    // Those who listen to nothing pass on by a while ago: what another server's definition listens to since is not passed over.
    const listening = this.interests.knownIdle ?? new Set()
    const idle = new Set(
      [...readers.values()]
        .filter((one) => listening.has(one.name) && !hearsAll(one))
        .map(({ name }) => name),
    )
    const upTo = this.#passed
    await data.write({ caller: SYSTEM }, async (transaction) => {
      for (const name of idle) {
        const at = await positionOf(this.tables, name, transaction, true)
        if (comparePlaces(at, upTo) < 0) await movePosition(this.tables, name, upTo, transaction)
      }
      this.#passed = await this.#end(transaction)
    })
    const busy = [...readers.values()].filter(({ name }) => !idle.has(name))
    await prune(this, busy, data, new Date(now() - retentionMs).toISOString())
  }

  /** The readers that listen to something here. */
  async #busy({ write }: Data): Promise<readonly EventReader[]> {
    const all = [...this.#tools.readers.values()]
    const idle =
      this.interests.knownIdle ??
      (await write({ caller: SYSTEM }, (transaction) => this.interests.idle(transaction)))
    return all.filter((one) => !idle.has(one.name) || hearsAll(one))
  }

  /** Most domains have nobody who hears anything: of these one look is all that it costs. */
  async #isEmpty({ reader }: Data): Promise<boolean> {
    const { events } = this.tables
    const all: Condition = { op: 'always' }
    return (
      (await reader.select({ table: events, columns: [EVENT.number], where: all, order: [], limit: 1 }))
        .length === 0
    )
  }

  /** Every event that is committed and in no batch comes into the next one. In an ordered store an earlier version left it so. */
  async #makeUp({ reader, write }: Data): Promise<boolean> {
    const where: Condition = { op: 'null', column: EVENT.batch }
    const { events } = this.tables
    const some = await reader.select({ table: events, columns: [EVENT.number], where, order: [], limit: 1 })
    if (some.length === 0) return false
    return write({ caller: SYSTEM }, async (transaction) => {
      const batch = this.batch ?? (await positionOf(this.tables, LEDGER, transaction, true)).batch + 1
      const { count } = await transaction.update({ table: events, set: { batch }, where })
      if (count > 0 && this.batch === null)
        await movePosition(this.tables, LEDGER, { batch, number: 0 }, transaction)
      return count > 0
    })
  }

  /** Hands a reader what comes next; answers whether that was anything. */
  async #hand({ reader: store, write }: Data, reader: EventReader): Promise<boolean> {
    const at = await positionOf(this.tables, reader.name, store)
    if ((await this.#next(store, at, 1)).length === 0) return false
    return write({ caller: SYSTEM }, async (transaction) => {
      const position = await positionOf(this.tables, reader.name, transaction, true)
      const rows = await this.#next(transaction, position, CHUNK)
      const last = rows.at(-1)
      if (last === undefined) return false
      const events = rows.filter(({ mark }) => mark === null).map((row) => eventIn(row, this.model))
      const marks = rows.flatMap((row) =>
        row['mark'] === null ? [] : [{ mark: String(row['mark']), place: placeIn(row) }],
      )
      const fields = await reader.keys?.(this.model, transaction)
      const { tables } = this
      if (fields) await index(tables, reader.name, { fields, events, behind: position }, transaction)
      await reader.take(this.model, { events, marks }, transaction)
      await movePosition(this.tables, reader.name, placeIn(last), transaction)
      return true
    })
  }

  #next(store: Pick<Transaction, 'select'>, after: Place, limit: number): Promise<readonly Row[]> {
    return this.#rows(store, { after, limit })
  }

  #rows(
    store: Pick<Transaction, 'select'>,
    { after, upTo, at, resource, since, before, limit, isHeld, isTold, resources, recordIds }: AskedEvents,
  ): Promise<readonly Row[]> {
    const of = [upTo === undefined ? isAfter(after, EVENT) : isBetween(after, upTo, EVENT)]
    if (at !== undefined) of.push({ op: 'in', column: EVENT.number, values: at.map(({ number }) => number) })
    if (resource !== undefined) of.push({ op: 'eq', column: EVENT.resource, value: resource })
    if (before !== undefined) of.push({ op: 'lt', column: EVENT.at, value: before })
    if (isTold) of.push({ op: 'not', of: { op: 'null', column: EVENT.id } })
    if (resources !== undefined) of.push({ op: 'in', column: EVENT.resource, values: resources })
    if (recordIds !== undefined) of.push({ op: 'in', column: EVENT.recordId, values: recordIds })
    if (since !== undefined) of.push({ op: 'gt', column: EVENT.at, value: since })
    return store.select({
      table: this.tables.events,
      columns: this.tables.events.columns,
      where: { op: 'and', of },
      order: inOrder,
      ...(limit !== undefined && { limit }),
      ...(isHeld && { lock: 'shared' }),
    })
  }
}
