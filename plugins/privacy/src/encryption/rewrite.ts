import { setImmediate } from 'node:timers/promises'
import type { Model } from '@svc/domain/contract'
import type { Codec, Column, Condition, Row, Store, Table, Value } from '@svc/store/contract'
import { headOf } from './codec.ts'

/** So many rows are looked at without others getting their turn. */
const SLICE = 100

/** A column of encrypted values. */
interface Sealed {
  readonly column: Column
  readonly codec: Codec
}

/** A table with encrypted values, and what it looks like to whoever takes these for text. */
interface SealedTable {
  readonly raw: Table
  readonly key: Column
  readonly sealed: readonly Sealed[]
}

const known = new WeakMap<Model, readonly SealedTable[]>()

/** The tables of a model that hold encrypted values. */
function sealedTables(model: Model): readonly SealedTable[] {
  const found = known.get(model)
  if (found !== undefined) return found
  const made = [...model.resources.values()].flatMap(({ table, key }) => {
    const columns = table.columns.map((one) => (one.codec ? rawOf(one) : one))
    const sealed = table.columns.flatMap((one) =>
      one.codec?.bound ? [{ column: columns.find(({ name }) => name === one.name)!, codec: one.codec }] : [],
    )
    return sealed.length === 0 ? [] : [{ raw: { ...table, columns }, key: key.column!, sealed }]
  })
  known.set(model, made)
  return made
}

const rawOf = ({ name }: Column): Column => Object.freeze({ name, kind: 'text', nullable: true })

/** Rows with a value that an older key has encrypted. */
const older = ({ sealed }: SealedTable, number: number): Condition => ({
  op: 'or',
  of: sealed.map(({ column }) => ({ op: 'lt', column, value: headOf(number) })),
})

/** How many records have values that an older key has encrypted. */
export async function countOlder(model: Model, number: number, store: Store): Promise<number> {
  let count = 0
  for (const table of sealedTables(model))
    count += await store.count({ table: table.raw, where: older(table, number) })
  return count
}

/**
 * Encrypts the values of records anew that an older key has encrypted, a few records in each transaction. Whoever writes a
 * value meanwhile has the last word, and what does not decrypt stays as it is. Answers how many records were written.
 */
export async function rewriteOlder(
  model: Model,
  number: number,
  store: Store,
  isOver: () => boolean,
): Promise<number> {
  let written = 0
  for (const table of sealedTables(model)) {
    // A record that was written meanwhile may have other values of an older key.
    for (let missed = Infinity; missed > 0;) {
      missed = 0
      for await (const rows of slices(table, older(table, number), store)) {
        if (isOver()) return written
        const done = await rewriteRows(table, rows, number, store)
        written += done.written
        missed += done.missed
      }
    }
  }
  return written
}

async function* slices(
  { raw, key, sealed }: SealedTable,
  which: Condition,
  store: Store,
): AsyncIterable<readonly Row[]> {
  const columns = [key, ...sealed.map(({ column }) => column)]
  const order = [{ column: key, descending: false }]
  let where = which
  for (;;) {
    const rows = await store.select({ table: raw, columns, where, order, limit: SLICE })
    if (rows.length > 0) yield rows
    await setImmediate()
    const last = rows.at(-1)?.[key.name] ?? null
    if (rows.length < SLICE || last === null) return
    where = { op: 'and', of: [which, { op: 'gt', column: key, value: last }] }
  }
}

async function rewriteRows(
  { raw, key, sealed }: SealedTable,
  rows: readonly Row[],
  number: number,
  store: Store,
): Promise<{ readonly written: number; readonly missed: number }> {
  const changes = rows.flatMap((row) => {
    const of = String(row[key.name])
    const old = sealed.filter(({ column }) => isOlder(row[column.name], number))
    const set = Object.fromEntries(
      old.flatMap(({ column, codec }) => {
        const fresh = anew(String(row[column.name]), of, codec)
        return fresh === undefined ? [] : [[column.name, fresh]]
      }),
    )
    if (Object.keys(set).length === 0) return []
    const same = old.map(({ column }): Condition => ({ op: 'eq', column, value: row[column.name] ?? '' }))
    const where: Condition = {
      op: 'and',
      of: [{ op: 'eq', column: key, value: row[key.name] ?? '' }, ...same],
    }
    return [{ set, where }]
  })
  const written = await store.transaction(
    async (transaction) => {
      let count = 0
      for (const { set, where } of changes)
        count += (await transaction.update({ table: raw, set, where })).count
      return count
    },
    { many: true },
  )
  return { written, missed: changes.length - written }
}

const isOlder = (kept: Value | undefined, number: number): boolean =>
  typeof kept === 'string' && kept < headOf(number)

function anew(kept: string, of: string, codec: Codec): string | undefined {
  try {
    return codec.seal(codec.open(kept, of), of)
  } catch {
    return undefined
  }
}
