import type { Condition, Row, Transaction } from '@svc/store/contract'
import type { Due } from '../contract/due.ts'
import type { ComputedField } from '../model/field.ts'
import { isReactive } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { allOf, liveRows } from '../query/live.ts'
import { type Alteration, dependentRows } from './dependents.ts'
import { type Formula, rowsOfFormula } from './formulas.ts'
import type { Graph, Unit } from './graph.ts'
import { changedValues, type Key, readsChanged, storeRaw, type Touched } from './touched.ts'
import { workOutStored } from './work-out.ts'

/** A record that was written. */
export interface Written extends Alteration {
  readonly key: Key
}

/** What a spreading begins with. */
export interface SpreadStart {
  /** Records that were written, each once; those that are there afterwards may depend on themselves and on each other. */
  readonly written?: readonly Written[]
  /** Whether these writes are over: what comes back to their records is then a change more, as it is of other records. */
  readonly isOver?: boolean
  /** What is due from before. */
  readonly due?: Due
}

/** What came of it. */
export interface Spread {
  /** Other records that changed, in the order in which they did, and written ones whose write is over. */
  readonly others: readonly Touched[]
  /** The written records of which something changed by their own write: it is stored. */
  readonly written: readonly Touched[]
  /** What is left for later, in an order in which it can be done. */
  readonly later: readonly Due[]
}

export interface Spreading {
  readonly graph: Graph
  readonly resources: ReadonlyMap<string, Resource>
  readonly transaction: Transaction
  readonly now: () => number
  /** How many other records at most are worked out at once. */
  readonly most: number
}

/** How many formulas of records one statement asks about. */
const FORMULAS = 100

/**
 * Works out what depends on records that were written, field by field in the order in which they read each other, and each
 * once for all records that are concerned. What formulas of others read in turn is stored at once; the rest is the caller's.
 */
export const spread = (start: SpreadStart, around: Spreading): Promise<Spread> =>
  new Spreader(start, around).run()

class Spreader {
  readonly #start: SpreadStart
  readonly #around: Spreading
  readonly #touched = new Map<Resource, Map<Key, Touched>>()
  readonly #changed: Touched[] = []
  /** The written records that are there. */
  readonly #written = new Map<Written, Touched>()
  /** Those whose own write takes over what comes back to them. */
  readonly #own = new Set<Touched>()
  readonly #later: Due[] = []
  #others = 0

  constructor(start: SpreadStart, around: Spreading) {
    this.#start = start
    this.#around = around
    for (const one of start.written ?? []) {
      if (one.after === undefined) continue
      const touched = this.#touch(one.resource, one.key, one.after)
      this.#written.set(one, touched)
      if (start.isOver !== true) this.#own.add(touched)
    }
  }

  async run(): Promise<Spread> {
    for (const unit of this.#around.graph.units) await this.#work(unit)
    return {
      others: this.#changed.filter((one) => !this.#own.has(one)),
      written: this.#changed.filter((one) => this.#own.has(one)),
      later: this.#later,
    }
  }

  async #work(unit: Unit): Promise<void> {
    const found = new Set([...this.#touchedOf(unit.resource)].filter((one) => readsChanged(one, unit)))
    for (const one of await this.#dependents(unit)) found.add(one)
    for (const one of await this.#due(unit)) found.add(one)
    if (found.size > 0) await this.#workOut(unit, [...found])
  }

  async #workOut({ resource, fields, isReadAcross }: Unit, records: readonly Touched[]): Promise<void> {
    const { transaction: reader, resources, now } = this.#around
    const isWanted = (field: ComputedField) => fields.includes(field)
    const rows = records.map(({ row }) => row)
    const worked = await workOutStored(resource, rows, { reader, resources, now }, isWanted)
    const changed: Touched[] = []
    for (const [at, one] of records.entries()) {
      const values = changedValues(one.row, worked[at]!, fields)
      const names = Object.keys(values)
      if (names.length === 0) continue
      if (one.changed.size === 0) this.#changed.push(one)
      for (const name of names) one.changed.add(name)
      one.row = { ...one.row, ...values }
      changed.push(one)
    }
    const due = isReadAcross ? changed : changed.filter((one) => this.#own.has(one))
    await storeRaw(resource, fields, due, this.#around.transaction)
  }

  /** The records whose formulas look where something has changed. */
  async #dependents(unit: Unit): Promise<readonly Touched[]> {
    const { resource } = unit
    if (!isReactive(resource.definition)) return []
    const alterations = this.#alterations()
    const where = unit.formulas.flatMap((one) => this.#rowsOf(one, alterations) ?? [])
    const found: Touched[] = []
    for (let at = 0; at < where.length; at += FORMULAS)
      found.push(...(await this.#load(unit, { op: 'or', of: where.slice(at, at + FORMULAS) })))
    return found
  }

  #rowsOf(formula: Formula, alterations: readonly Alteration[]): Condition | undefined {
    const { resources, now } = this.#around
    const { resource } = formula
    const of = formula.expression.crossings.flatMap((crossing) => {
      const target = resources.get(crossing.resource)
      const rows = target && dependentRows(crossing, alterations, { resource, target, now })
      return rows === undefined || rows.op === 'never' ? [] : rows
    })
    return of.length === 0 ? undefined : allOf([rowsOfFormula(formula), { op: 'or', of }])
  }

  /** All that has changed so far. */
  #alterations(): readonly Alteration[] {
    const written = (this.#start.written ?? []).map((one) => ({
      resource: one.resource,
      before: one.before,
      after: this.#written.get(one)?.row,
    }))
    const known = new Set(this.#written.values())
    const others = this.#changed.filter((one) => !known.has(one))
    return [...written, ...others.map(({ resource, before, row }) => ({ resource, before, after: row }))]
  }

  async #due(unit: Unit): Promise<readonly Touched[]> {
    const { due } = this.#start
    if (due?.resource !== unit.resource || !unit.fields.some(({ name }) => due.fields.includes(name)))
      return []
    return this.#load(unit, { op: 'in', column: unit.resource.key.column!, values: due.keys })
  }

  /** Reads and holds records, as far as they may be worked out at once; the others are left for later. */
  async #load(unit: Unit, where: Condition): Promise<readonly Touched[]> {
    const { resource, fields } = unit
    const { transaction, most } = this.#around
    const known = this.#touched.get(resource)?.size ?? 0
    const limit = Math.max(0, most - this.#others) + known
    const column = resource.key.column!
    const live = [...liveRows(resource), where]
    const order = [{ column, descending: false }]
    const plan = { table: resource.table, order }
    const rows =
      limit === 0
        ? []
        : await transaction.select({
            ...plan,
            columns: resource.columns,
            where: allOf(live),
            ...(Number.isFinite(limit) && { limit }),
            lock: true,
          })
    if (rows.length === limit) {
      const last = rows.at(-1)?.[column.name] ?? null
      const beyond: readonly Condition[] = last === null ? [] : [{ op: 'gt', column, value: last }]
      const rest = await transaction.select({
        ...plan,
        columns: [column],
        where: allOf([...live, ...beyond]),
      })
      const keys = rest.map((row) => row[column.name] ?? null).filter((key) => key !== null)
      const own = this.#touched.get(resource)
      const left = keys.filter((key) => own?.has(key) !== true)
      if (left.length > 0) this.#later.push({ resource, fields: fields.map(({ name }) => name), keys: left })
      return [...rows.map((row) => this.#at(resource, row)), ...keys.flatMap((key) => own?.get(key) ?? [])]
    }
    return rows.map((row) => this.#at(resource, row))
  }

  /** A record that is known already counts as it is here. */
  #at(resource: Resource, row: Row): Touched {
    const key = row[resource.key.name] ?? null
    if (key === null) throw new Error(`a record of '${resource.name}' has no key`)
    const known = this.#touched.get(resource)?.get(key)
    if (known !== undefined) return known
    this.#others += 1
    return this.#touch(resource, key, row)
  }

  #touch(resource: Resource, key: Key, row: Row): Touched {
    const own = this.#touched.get(resource) ?? new Map<Key, Touched>()
    this.#touched.set(resource, own)
    const made = { resource, key, before: row, row, changed: new Set<string>() }
    own.set(key, made)
    return made
  }

  #touchedOf(resource: Resource): Iterable<Touched> {
    return this.#touched.get(resource)?.values() ?? []
  }
}
