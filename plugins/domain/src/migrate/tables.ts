import { isDeepStrictEqual } from 'node:util'
import type { Column, ForeignKey, Index, Table } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { compareFields } from './narrowing.ts'
import type { JunctionPair, ModelPairing, Pair, ResourcePair } from './pairs.ts'

/** A table that both models have. */
export interface TablePair extends Pair<Table> {
  /** For messages: the resource's name, or the table's. */
  readonly label: string
  /** What the columns whose values live on are called now, by their former names. */
  readonly columns: ReadonlyMap<string, string>
  readonly resource?: ResourcePair
}

/** All tables that both models have. */
export const tablePairs = ({ resources, junctions }: ModelPairing): readonly TablePair[] => [
  ...resources.kept.map(resourceTables),
  ...junctions.kept.map(junctionTables),
]

function resourceTables(resource: ResourcePair): TablePair {
  const { from, to, fields } = resource
  const living = fields.kept.filter(
    (pair) => pair.to.column && (resource.isUnchanged || !compareFields(pair.from, pair.to).unrelated),
  )
  const columns = new Map([
    ...living.map((pair) => [pair.from.name, pair.to.name] as const),
    ...living.flatMap(derivedAlike),
    ...ownColumns(from, to).map((name) => [name, name] as const),
  ])
  return { from: from.table, to: to.table, label: to.name, columns, resource }
}

/** What both fields derive under one name and in one form. */
const derivedAlike = ({ from, to }: Pair<Field>): readonly (readonly [string, string])[] =>
  from.derived.flatMap(({ name, column }) => {
    const now = to.derived.find((one) => one.name === name && one.column.kind === column.kind)
    return now ? [[column.name, now.column.name] as const] : []
  })

/** Columns of the engine itself, which no field stands for. */
function ownColumns(from: Resource, to: Resource): readonly string[] {
  const names = from.columns.map(({ name }) => name).filter((name) => !from.fields.has(name))
  return names.filter((name) => !to.fields.has(name) && columnOf(to.table, name) !== undefined)
}

function junctionTables({ from, to, columns: former }: JunctionPair): TablePair {
  const present = new Set(from.columns.map(({ name }) => name))
  const columns = new Map(
    to.columns.flatMap(({ name }) => {
      const old = former.get(name) ?? name
      return present.has(old) ? [[old, name] as const] : []
    }),
  )
  return { from, to, label: to.name, columns }
}

/** Whether two columns keep values in one form: those that are sealed, or no longer are, move as those of another kind do. */
export const isKeptAlike = (before: Column, now: Column): boolean =>
  before.kind === now.kind && isSealedAlike(before, now)

/** Whether values are sealed in one form, or not at all. */
export const isSealedAlike = (before: Column, now: Column): boolean =>
  (before.codec === undefined) === (now.codec === undefined) && before.codec?.form === now.codec?.form

/** Whether a column lives on with values of the same kind. */
export function isSettled({ from, to, columns }: TablePair, { name }: Column): boolean {
  const now = to.columns.find((column) => column.name === columns.get(name))
  const before = columnOf(from, name)
  return now !== undefined && before !== undefined && isKeptAlike(before, now)
}

/** Whether a column lives on in the indexes over it, too. */
function isIndexedAlike({ from, to, columns }: TablePair, { name }: Column): boolean {
  return columnOf(from, name)?.long === columnOf(to, columns.get(name) ?? '')?.long
}

/** Whether a former index serves as one of the present ones. */
export function indexLivesOn(index: Index, pair: TablePair): boolean {
  const kept = index.columns.every((column) => isSettled(pair, column) && isIndexedAlike(pair, column))
  return kept && pair.to.indexes.some((other) => isSameIndex(index, other, pair))
}

/** The index of the present model that finds geometries in the column of a former one. */
export const successorOf = (index: Index, pair: TablePair): Index | undefined =>
  pair.to.indexes.find((other) => succeeds(index, other, pair))

/** The index of the former model that found geometries in the column of a present one. */
export const predecessorOf = (index: Index, pair: TablePair): Index | undefined =>
  pair.from.indexes.find((other) => succeeds(other, index, pair))

function succeeds(from: Index, to: Index, pair: TablePair): boolean {
  const [before, now] = [from.columns[0], to.columns[0]]
  if (!from.spatial || !to.spatial || before === undefined) return false
  return pair.columns.get(before.name) === now?.name && isSettled(pair, before)
}

function isSameIndex(from: Index, to: Index, { columns }: TablePair): boolean {
  return (
    from.name === to.name &&
    from.unique === to.unique &&
    isDeepStrictEqual(
      from.columns.map(({ name }) => columns.get(name)),
      to.columns.map(({ name }) => name),
    ) &&
    isDeepStrictEqual(from.where, to.where) &&
    isDeepStrictEqual(from.custom, to.custom) &&
    isDeepStrictEqual(from.spatial, to.spatial)
  )
}

/** Whether a foreign key of the present model is in force already, whatever it is called. */
export const isInForce = (key: ForeignKey, present: readonly ForeignKey[]): boolean =>
  present.some((other) => meansTheSame(key, other))

/** Whether a former foreign key, in the words of the present model, is still wanted. */
export function keyLivesOn(key: ForeignKey, pair: TablePair, pairs: readonly TablePair[]): boolean {
  const target = pairs.find(({ from }) => from.name === key.references.table)
  const column = pair.columns.get(key.column.name)
  const referred = target?.columns.get(key.references.column)
  if (!target || column === undefined || referred === undefined || !isSettled(pair, key.column)) return false
  const now = {
    ...key,
    column: { ...key.column, name: column },
    references: { table: target.to.name, column: referred },
  }
  return isInForce(now, pair.to.foreignKeys)
}

const meansTheSame = (a: ForeignKey, b: ForeignKey): boolean =>
  a.column.name === b.column.name &&
  a.references.table === b.references.table &&
  a.references.column === b.references.column &&
  a.onDelete === b.onDelete

export const columnOf = ({ columns }: Table, name: string): Column | undefined =>
  columns.find((column) => column.name === name)
