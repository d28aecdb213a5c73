import { errors } from '@svc/kernel'
import type { Condition, Reader, Transaction } from '@svc/store/contract'
import { restrictionsOf } from '../access/restrictions.ts'
import { VERSION } from '../model/table.ts'
import { etag, names } from '../present/etag.ts'
import type { Restricted } from '../contract/restriction.ts'
import { allOf, deletedRow, isKey, liveRow } from '../query/live.ts'
import { assertReachable } from '../query/reachable.ts'
import { assertMovable } from './states/move.ts'
import { type Change, trialOf } from './change.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import { assertPermitted, decidingReach } from './authorize.ts'
import { valuesOf } from './values.ts'

/** Reads the record and holds it against other writers; then asks whether the caller may touch it. */
export const loadPrevious = (change: Change, transaction: Transaction): Promise<void> =>
  readPrevious(change, transaction, true)

/** Refuses a record that a block keeps from this kind of write; an overwrite is what keeps records from others. */
export function assertLeft(change: Change, reader: Reader): void | Promise<void> {
  const { kind, key } = change
  if (kind === 'overwrite') return undefined
  return assertReachable(change, RESTRICTED[kind] ?? 'update', key!, reader)
}

/** The records that blocks leave to this kind of write. */
const leftTo = ({ kind, resource, caller }: Change): readonly Condition[] =>
  kind === 'overwrite'
    ? []
    : restrictionsOf(resource, RESTRICTED[kind] ?? 'update', caller).map(({ rows }) => rows)

/** What a write is to restrictions where it is no update. */
const RESTRICTED: Readonly<Record<string, Restricted>> = {
  delete: 'delete',
  transition: 'transition',
  custom: 'custom',
}

/** The same without holding the record, for a look ahead. */
export async function readPrevious(change: Change, reader: Reader, lock: boolean): Promise<void> {
  const { resource, key, access, ifMatch } = change
  const { table } = resource
  const read = async (left: readonly Condition[]) => {
    const [found] = await reader.select({
      table,
      columns: resource.columns,
      where: allOf([rowOf(change), ...ofParent(change), ...left]),
      order: [],
      limit: 1,
      lock,
      ...(lock && { counted: VERSION }),
    })
    return found
  }
  const left = leftTo(change)
  const free = await read(left)
  // One that is kept from everybody is read all the same: who may not touch it hears that first.
  const row = free ?? (left.length === 0 ? undefined : await read([]))
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no ${resource.name} '${String(key)}'` })
  change.previous = row
  const neighbours = neighboursIfAny(row, decidingReach(change), { reader, access, rights: 'author' })
  if (neighbours !== undefined) change.neighbours = await neighbours
  assertPermitted(change, row, change.neighbours)
  if (free === undefined) await assertLeft(change, reader)
  if (ifMatch !== undefined && !names(ifMatch, etag(row, access.shown, access), true))
    throw errors.PRECONDITION_FAILED()
}

/**
 * Who may not touch the record hears that and nothing else: asked where the body is at fault, before that is told. A
 * new record is touched by nobody yet.
 */
export const assertTouchable = (change: Change): void | Promise<void> =>
  change.kind === 'create' || change.key === undefined ? undefined : assertStoredTouchable(change)

async function assertStoredTouchable(change: Change): Promise<void> {
  await readPrevious(change, change.reader, false)
  await assertMovable(trialOf(change, soundValues(change)), change.reader)
}

/** What the body brings besides its faults. */
function soundValues({ values, faults }: Change): Change['values'] {
  const faulty = new Set(faults.map(({ field }) => field.split('.')[0]))
  return valuesOf(Object.fromEntries(Object.entries(values).filter(([name]) => !faulty.has(name))))
}

/** A record that belongs to another parent is not at this path. */
const ofParent = ({ parent }: Change): readonly Condition[] =>
  parent === undefined ? [] : [{ op: 'eq', column: parent.field.column!, value: parent.value }]

/** The stored row that a change is about: a restore looks among the deleted ones, an overwrite among all. */
export function rowOf({ kind, resource, key }: Change): Condition {
  if (kind === 'overwrite') return isKey(resource, key!)
  return kind === 'restore' ? deletedRow(resource, key!) : liveRow(resource, key!)
}
