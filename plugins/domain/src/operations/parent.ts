import { AppError, type Call, errors } from '@svc/kernel'
import type { Condition, Reader, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Resource } from '../model/resource.ts'
import { liveRow } from '../query/live.ts'
import { assertReachable } from '../query/reachable.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import type { Parent } from '../write/change.ts'
import { ownValue } from '../write/values.ts'
import type { RecordInput, Surroundings } from './operation.ts'

/**
 * The parent that a nested path names: every record of the request belongs to it. Undefined on a direct path, at once.
 * Rejects with NOT_FOUND where it is missing or the caller may not get it.
 */
export function parentOf(
  around: Surroundings,
  { path }: RecordInput,
  call: Call,
): Promise<Parent> | undefined {
  const { under } = around.resource.api
  const text = under && path && ownValue(path, under.parameter)
  return text === undefined ? undefined : namedParent(text, around, call)
}

async function namedParent(
  text: string,
  { model, resource: { api, fields }, runtime }: Surroundings,
  { caller }: Call,
): Promise<Parent> {
  const field = fields.get(api.under!.foreignKey)!
  const value = field.compiled.parseText(text)
  const checked = value === undefined ? undefined : field.compiled.check(value)
  const above = model.resources.get(api.under!.parent)!
  if (checked === undefined || !('value' in checked) || checked.value === null) throw missing(above, text)
  await assertAbove(Access.of(above, caller, runtime.env.now), checked.value, runtime.store)
  return { field, value: checked.value }
}

/** Throws NOT_FOUND where there is no such record, or the caller may not get it: nothing is below it then. */
export async function assertAbove(access: Access, key: Exclude<Value, null>, reader: Reader): Promise<void> {
  const { resource } = access
  const columns = access.decidingIfAny('get')
  if (columns === undefined) throw missing(resource, key)
  const [row] = await reader.select({
    table: resource.table,
    columns: [...new Set([resource.key.column!, ...columns])],
    where: liveRow(resource, key),
    order: [],
    limit: 1,
  })
  const reading = { reader, access, rights: 'author' } as const
  const neighbours = row && neighboursIfAny(row, access.reaching('get'), reading)
  if (row === undefined || !access.mayTouch('get', row, neighbours && (await neighbours)))
    throw missing(resource, key)
  const restricted = assertReachable(access, 'get', key, reader)
  if (restricted !== undefined) await restricted.catch(absent(resource, key))
}

const missing = ({ name }: Resource, key: Value) =>
  errors.NOT_FOUND({ message: `There is no ${name} '${String(key).slice(0, 100)}'` })

/** What is kept from everybody is not there to be below. */
const absent = (resource: Resource, key: Value) => (error: unknown) => {
  throw error instanceof AppError && error.status < 500 ? missing(resource, key) : error
}

/** The rows that belong to `parent`; all of them where there is none. */
export const belongsTo = (parent: Parent | undefined): readonly Condition[] =>
  parent === undefined ? [] : [{ op: 'eq', column: parent.field.column!, value: parent.value }]
