import { AppError, errors } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Restricted } from '../contract/restriction.ts'
import type { Guarded } from '../model/permission.ts'
import { keyOf } from '../query/key.ts'
import { presentRecord } from '../present/record.ts'
import { liveRow } from '../query/live.ts'
import { assertReachable } from '../query/reachable.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import type { Runtime } from '../runtime.ts'

/** Reads one record for a caller who may do `operation` with it. Throws NOT_FOUND, UNAUTHORIZED or FORBIDDEN. */
export async function getRecord(
  { store }: Runtime,
  access: Access,
  id: Value,
  operation: Guarded,
  also: readonly Restricted[] = [],
): Promise<Row> {
  const { resource, shown } = access
  const key = keyOf(resource, id)
  const [row] = await store.select({
    table: resource.table,
    columns: [...new Set([...access.columns(shown), ...access.deciding(operation), resource.key.column!])],
    where: liveRow(resource, key),
    order: [],
    limit: 1,
  })
  if (row === undefined)
    throw errors.NOT_FOUND({ message: `There is no ${resource.name} '${String(key).slice(0, 100)}'` })
  const reading = { reader: store, access } as const
  const judged = neighboursIfAny(row, access.reaching(operation), { ...reading, rights: 'author' })
  access.assertRecord(operation, row, undefined, judged && (await judged))
  if (operation !== 'create') await assertReachable(access, operation, key, store)
  const reached = neighboursIfAny(row, access.reachOf(shown), { ...reading, rights: 'caller', also })
  return presentRecord(row, shown, access, reached && (await reached))
}

/** The same; undefined where there is no such record for the caller. */
export async function findRecord(runtime: Runtime, access: Access, id: Value): Promise<Row | undefined> {
  try {
    return await getRecord(runtime, access, id, 'get')
  } catch (error) {
    if (error instanceof AppError && ABSENT.has(error.status)) return undefined
    throw error
  }
}

const ABSENT: ReadonlySet<number> = new Set([401, 403, 404])
