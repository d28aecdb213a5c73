import { errors } from '@svc/kernel'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import { etag, names } from '../present/etag.ts'
import { judge, passes } from '../access/verdict.ts'
import type { Guarded } from '../model/permission.ts'
import { allOf } from '../query/live.ts'
import { rowOf } from './row.ts'
import type { Change, ChangeKind } from './change.ts'

/** Reads the record and holds it against other writers; then asks whether the caller may touch it. */
export const loadPrevious = (change: Change, transaction: Transaction): Promise<void> =>
  readPrevious(change, transaction, true)

/** The same without holding the record, for a look ahead. */
export async function readPrevious(change: Change, reader: Reader, lock: boolean): Promise<void> {
  const { resource, key, access, ifMatch } = change
  const { table } = resource
  const [row] = await reader.select({
    table,
    columns: table.columns,
    where: allOf([rowOf(change), ...ofParent(change)]),
    order: [],
    limit: 1,
    lock,
  })
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no ${resource.name} '${String(key)}'` })
  change.previous = row
  assertPermitted(change, row)
  if (ifMatch !== undefined && !names(ifMatch, etag(row, access.shown, access), true))
    throw errors.PRECONDITION_FAILED()
}

/** The permission that each kind of write asks; a transition's is decided by the state, an operation has its own. */
const GUARDS: Readonly<Record<ChangeKind, Guarded | undefined>> = {
  create: 'create',
  update: 'update',
  put: 'update',
  delete: 'delete',
  restore: 'delete',
  revert: 'update',
  transition: undefined,
  custom: undefined,
}

function assertPermitted({ kind, access, operation }: Change, row: Row): void {
  const guard = GUARDS[kind]
  if (guard !== undefined) access.assertRecord(guard, row)
  if (operation === undefined) return
  if (!passes(judge(operation.permission, access.judging(operation.name)), row)) throw errors.FORBIDDEN()
}

/** A record that belongs to another parent is not at this path. */
const ofParent = ({ parent }: Change): readonly Condition[] =>
  parent === undefined ? [] : [{ op: 'eq', column: parent.field.column!, value: parent.value }]
