import type { Neighbour, Neighbours, Reached } from '@svc/expression/contract'
import {
  CARRIED,
  type Column,
  type Condition,
  type Order,
  type Row,
  type Through,
  type Value,
} from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { leftAmong } from '../access/restrictions.ts'
import type { Restricted } from '../contract/restriction.ts'
import type { HasMany, Relationship } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import { workOut, workOutAll } from '../present/formulas.ts'
import { MASK } from '../present/record.ts'
import { allOf } from '../query/live.ts'
import { order as listOrder } from '../query/sort.ts'
import type { Reading, Rights } from './neighbours.ts'

/** A relation that is read, and where it leads. */
export interface Leading {
  readonly reached: Reached
  readonly relationship: Relationship
  readonly target: Resource
}

/** The records that others lead to. */
export interface Found {
  /** As they were read, and as they are seen. */
  readonly raw: readonly Row[]
  readonly shown: readonly Row[]
  /** The rights to them. */
  readonly access: Access
  /** What each record leads to, once the found ones have neighbours of their own. */
  group(found: readonly Neighbour[]): (record: Row) => Neighbours[string]
}

/** Reads the one record that each leads to. */
export async function readOne(records: readonly Row[], leading: Leading, reading: Reading): Promise<Found> {
  const { reached, target } = leading
  const { near } = reached.relation
  const key = target.key.column!
  const keys = keysOf(records, near, reading)
  const found = await readTarget(leading, reading, {
    operation: 'get',
    where: isAmong(key, keys),
    isEmpty: keys.length === 0,
  })
  return {
    ...found,
    group(all) {
      const byKey = new Map(all.map((one, at) => [found.raw[at]![key.name], one]))
      return (record) => (mayStart(record, near, reading) ? (byKey.get(record[near] ?? null) ?? null) : null)
    },
  }
}

/** Reads the lists that each leads to, in the relationship's order. */
export async function readMany(records: readonly Row[], leading: Leading, reading: Reading): Promise<Found> {
  const { relationship, reached } = leading
  const { near } = reached.relation
  const keys = keysOf(records, near, reading)
  const isHidden = relationship.kind === 'hasMany' && !mayFollow(relationship, leading, reading)
  const isEmpty = keys.length === 0 || isHidden
  const [link, by] =
    relationship.kind === 'hasMany' ? childrenOf(relationship, leading, keys) : linkedBy(reached, keys)
  const found = await readTarget(leading, reading, { ...link, operation: 'list', isEmpty })
  return {
    ...found,
    group(all) {
      const groups = new Map<Value, Neighbour[]>()
      for (const [at, one] of all.entries()) {
        const key = found.raw[at]![by] ?? null
        const group = groups.get(key)
        if (group) group.push(one)
        else groups.set(key, [one])
      }
      return (record) => groups.get(record[near] ?? null) ?? NONE
    },
  }
}

const NONE: readonly Neighbour[] = Object.freeze([])

type Link = Pick<Asked, 'where' | 'through' | 'order' | 'also'>

function childrenOf(
  { foreignKey }: HasMany,
  { target, reached }: Leading,
  keys: readonly Key[],
): readonly [Link, string] {
  const column = target.fields.get(foreignKey)!.column!
  const { join } = reached.relation
  return [{ where: isAmong(column, keys), order: join.order, also: [column] }, foreignKey]
}

function linkedBy({ relation: { join } }: Reached, keys: readonly Key[]): readonly [Link, string] {
  const { between, related } = join
  if (between === undefined) throw new Error('records are linked through a table between them')
  const through: Through = {
    table: between.table,
    carry: between.on[0],
    on: [related.on[1], related.on[0]],
    where: isAmong(between.on[0], keys),
  }
  return [{ where: EVERY_ROW, through, order: join.order }, CARRIED]
}

/** Who may not read whose children records are does not learn it from the other side. */
const mayFollow = ({ foreignKey }: HasMany, { target }: Leading, { access, rights }: Reading): boolean =>
  rights === 'author' || Access.of(target, access.caller, access.now).readable(foreignKey) !== undefined

type Key = Exclude<Value, null>

/** Whether the field that a way starts from may be read in the record. */
const mayStart = (record: Row, near: string, { access, rights }: Reading): boolean =>
  rights === 'author' || access.readableIn(record, near)

const keysOf = (records: readonly Row[], near: string, reading: Reading): readonly Key[] => [
  ...new Set(
    records
      .filter((record) => mayStart(record, near, reading))
      .map((record) => record[near] ?? null)
      .filter((key) => key !== null),
  ),
]

const isAmong = (column: Column, values: readonly Key[]): Condition => ({ op: 'in', column, values })

interface Asked {
  /** What the caller has to be allowed. */
  readonly operation: 'get' | 'list'
  readonly where: Condition
  readonly order?: readonly Order[]
  readonly through?: Through
  /** Columns to read besides those that were asked for. */
  readonly also?: readonly Column[]
  /** Whether nothing can be found. */
  readonly isEmpty: boolean
}

async function readTarget(
  { reached, target }: Leading,
  { reader, access: outer, rights, masks = false, also: restricted = [] }: Reading,
  { operation, where, order, through, also = [], isEmpty }: Asked,
): Promise<Omit<Found, 'group'>> {
  const access = Access.of(target, outer.caller, outer.now)
  const rows = rowsFor[rights](access, operation, restricted)
  if (isEmpty || rows === undefined) return { raw: [], shown: [], access }
  const fields = [...reached.fields].flatMap((name) => target.fields.get(name) ?? [])
  const columns = rights === 'author' ? basesOf(reached.fields, target) : access.columns(fields)
  const { related } = reached.relation.join
  const picked = await reader.select({
    table: target.table,
    columns: [...new Set([target.key.column!, ...columns, ...also])],
    where: allOf([where, related.where, rows]),
    order:
      order === undefined
        ? []
        : rights === 'author'
          ? order
          : listOrder(undefined, access, ignore, readable(order, access)),
    ...(through && { through }),
  })
  const raw = await leftAmong(target, picked, restricted, reader)
  const isAsRead = isOpen(reached, access, rights)
  return {
    raw,
    shown: isAsRead ? raw : raw.map((row) => seen(row, reached, access, { rights, masks })),
    access,
  }
}

/** The records that may be read at the end of a way; undefined: none at all. */
const rowsFor: Readonly<
  Record<
    Rights,
    (access: Access, operation: Asked['operation'], also: readonly Restricted[]) => Condition | undefined
  >
> = {
  author: () => EVERY_ROW,
  caller: (access, operation, also) => access.beside(operation, also),
  anybody: (access, operation) => allOf(access.left(operation)),
}

const EVERY_ROW: Condition = Object.freeze({ op: 'always' })
const ignore = () => undefined

/** The order as far as the caller may know of it; that of a list where nothing is left. */
const readable = (order: readonly Order[], access: Access): readonly Order[] =>
  order.filter(({ column }) => access.readable(column.name) !== undefined)

/** Whether all that is asked of related records is stored, and may be read in each of them. */
function isOpen({ fields }: Reached, access: Access, rights: Rights): boolean {
  if (rights === 'author') return !hasFormulas(fields, access.resource)
  for (const name of fields) if (access.readable(name)?.column === undefined) return false
  return true
}

/** A related record as an expression may see it: with its formulas, and without what is not to be read. */
function seen(
  row: Row,
  { fields }: Reached,
  access: Access,
  { rights, masks }: Pick<Reading, 'rights' | 'masks'>,
): Row {
  if (rights === 'author') return workOutAll(row, access)
  const known = workOut(row, access)
  const value = (name: string): Value => {
    if (access.readableIn(row, name)) return known[name] ?? null
    return masks && access.selectable(name) && access.sight(row, name) === 'mask' ? MASK : null
  }
  return Object.fromEntries([...fields].map((name) => [name, value(name)]))
}

const hasFormulas = (names: ReadonlySet<string>, { fields }: Resource): boolean =>
  [...names].some((name) => fields.get(name)?.column === undefined)

/** The columns that fields are made of: their own, or those that their formulas read. */
function basesOf(names: Iterable<string>, { fields }: Pick<Resource, 'fields'>): readonly Column[] {
  const columns: Column[] = []
  const met = new Set(names)
  // A set that grows goes on over what is added to it.
  for (const name of met) {
    const field = fields.get(name)
    if (field?.column !== undefined) columns.push(field.column)
    else for (const inner of field?.computed?.expression.fields ?? []) met.add(inner)
  }
  return columns
}
