import type { Condition, Table, Transaction, Value } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { allOf, liveRows } from '../query/live.ts'
import type { Change } from './change.ts'
import { type Dependent, type Dependents, goesAlong } from './dependents.ts'

type Key = Exclude<Value, null>

/** The most records that one deletion or restoration reaches: all of them are written in one transaction. */
export const MAX_REACHED = 10_000

type Dependencies = ReadonlyMap<string, Dependents>

/**
 * Holds what changes of one resource refer to, what they are about, and what they reach, from the top down as a
 * deletion does, and the rows of each table in the order of their keys.
 */
export const lockChanges =
  ({ resources }: Model, dependents: Dependencies) =>
  async (changes: readonly Change[], transaction: Transaction): Promise<void> => {
    const [first] = changes
    if (first === undefined || changes.length < 2) return
    const { resource } = first
    const own = new Set(keysOf(changes.filter(({ kind }) => kind !== 'create')))
    const referred = [...referredBy(changes)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [name, keys] of referred) {
      // What refers to records of its own table and changes others there takes all of them in one go.
      if (name === resource.name && own.size > 0) for (const key of keys) own.add(key)
      else await lockByKey(resources.get(name)!.table, keys, transaction, 'shared')
    }
    await lockByKey(resource.table, own, transaction, true)
    const removed = keysOf(changes.filter(({ kind }) => kind === 'delete'))
    await lockBelow(resource, removed, { dependents, follow: removedAlong, transaction })
  }

const keysOf = (changes: readonly Change[]): readonly Key[] =>
  changes.map(({ key }) => key).filter((key) => key !== undefined)

/** The records that new values refer to and that may not be deleted meanwhile, by the names of their resources. */
function referredBy(changes: readonly Change[]): ReadonlyMap<string, Set<Key>> {
  const found = new Map<string, Set<Key>>()
  for (const { resource, values } of changes) {
    for (const one of resource.relationships.values()) {
      if (one.kind !== 'belongsTo' || one.target.kind === 'users' || one.onDelete === 'none') continue
      const key = values[one.foreignKey] ?? null
      if (key === null) continue
      const { name } = one.target
      found.set(name, (found.get(name) ?? new Set()).add(key))
    }
  }
  return found
}

async function lockByKey(
  table: Table,
  keys: ReadonlySet<Key>,
  transaction: Transaction,
  lock: true | 'shared',
): Promise<void> {
  const [column] = table.primaryKey
  if (keys.size === 0 || column === undefined) return
  const where: Condition = { op: 'in', column, values: [...keys] }
  const order = [{ column, descending: false }]
  await transaction.select({ table, columns: [column], where, order, lock })
}

/** How a deletion or a restoration goes on from a record to those that refer to it. */
export interface Below {
  readonly dependents: Dependencies
  /** Which records of a dependent are written along; undefined where none is. */
  follow(child: Dependent, parent: Resource): readonly Condition[] | undefined
  readonly transaction: Transaction
}

/** The records of a dependent that a removal writes; of those that are in its way it writes none. */
export const removedAlong: Below['follow'] = (child, parent) =>
  child.onDelete === 'restrict' || !(child.onDelete === 'nullify' || goesAlong(child, parent))
    ? undefined
    : liveRows(child.resource)

/** Those that come back with a record that was deleted at this moment. */
export const restoredAlong =
  (at: Key): Below['follow'] =>
  ({ resource, onDelete }) => {
    const column = resource.fields.get('deletedAt')?.column
    const comesBack = onDelete === 'cascade' && resource.features.softDelete && column !== undefined
    return comesBack ? [{ op: 'eq', column, value: at }] : undefined
  }

/** Holds what is written along with records of a resource, level by level. */
export async function lockBelow(resource: Resource, keys: readonly Key[], below: Below): Promise<void> {
  const seen = new Map<Resource, Set<Key>>([[resource, new Set(keys)]])
  for (let level: Level = new Map([[resource, new Set(keys)]]); level.size > 0;) {
    const next: Level = new Map()
    for (const [parent, found] of level) await lockChildren(parent, [...found], next, below)
    level = unseen(next, seen)
  }
}

type Level = Map<Resource, Set<Key>>

/** Holds the children of records, and adds to `next` those whose own children go along too. */
async function lockChildren(parent: Resource, keys: readonly Key[], next: Level, below: Below) {
  if (keys.length === 0) return
  const { children, links } = below.dependents.get(parent.name)!
  for (const child of children) {
    const which = below.follow(child, parent)
    if (which === undefined) continue
    const { resource, column, onDelete } = child
    const where: Condition[] = [{ op: 'in', column, values: keys }, ...which]
    const held = await lockRows(resource.table, where, below.transaction)
    if (onDelete === 'cascade') {
      const known = next.get(resource) ?? new Set<Key>()
      for (const key of held) known.add(key)
      next.set(resource, known)
    }
  }
  for (const { table, column } of parent.features.softDelete ? [] : links)
    await lockRows(table, [{ op: 'in', column, values: keys }], below.transaction)
}

/** The records of a level that no earlier one had: a circle ends where it began. */
function unseen(level: Level, seen: Level): Level {
  const fresh: Level = new Map()
  for (const [resource, keys] of level) {
    const known = seen.get(resource) ?? new Set<Key>()
    const added = [...keys].filter((key) => !known.has(key))
    if (added.length > 0) fresh.set(resource, new Set(added))
    seen.set(resource, new Set([...known, ...added]))
  }
  return fresh
}

/** Holds rows in the order of their keys; answers the first part of each key. */
async function lockRows(
  table: Table,
  where: readonly Condition[],
  transaction: Transaction,
): Promise<readonly Key[]> {
  const columns = table.primaryKey
  const order = columns.map((column) => ({ column, descending: false }))
  // A deletion that reaches more is refused: all of it need not be held for that.
  const limit = MAX_REACHED + 1
  const rows = await transaction.select({ table, columns, where: allOf(where), order, limit, lock: true })
  return rows.map((row) => row[columns[0]!.name] ?? null).filter((key) => key !== null)
}
