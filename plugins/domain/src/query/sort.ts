import { createHash } from 'node:crypto'
import type { Ignored } from '@svc/kernel'
import type { Column, Order, Scalar } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { type ReachedField, reachedField, valueOf } from './reached.ts'

/** Reads `sort=-createdAt,title`; the order always ends in the key, so that pages never overlap. */
export function order(
  sort: string | undefined,
  access: Access,
  ignored: Ignored,
  otherwise?: readonly Order[],
): readonly Order[] {
  const asked = sort === undefined || sort === '' ? [] : sortKeys(sort, access, ignored)
  if (asked.length > 0) return withKey(asked, access.resource)
  return otherwise?.length ? withKey(otherwise, access.resource) : defaultOrder(access)
}

function sortKeys(sort: string, access: Access, ignored: Ignored): Order[] {
  return sort.split(',').flatMap((part) => {
    const descending = part.startsWith('-')
    const name = descending ? part.slice(1) : part
    const field = access.readable(name)
    if (field?.column !== undefined && field.compiled.type.sortable)
      return { column: field.column, descending }
    const reached = reachedField(name, access)
    if (reached?.isOne && reached.field.compiled.type.sortable) return reachedKey(name, reached, descending)
    ignored('sort', name)
    return []
  })
}

/** Sorts by a field of another record, under the name that the query gives it. */
const reachedKey = (name: string, reached: ReachedField, descending: boolean): ReachedOrder => {
  const { kind } = reached.field.column!
  const column = { name: name.length <= MAX_NAME ? name : `~${digest(name)}`, kind, nullable: true }
  return { column, descending, by: valueOf(reached), field: reached.field }
}

/** PostgreSQL keeps no more of a name. */
const MAX_NAME = 63
const digest = (name: string): string => createHash('sha256').update(name).digest('base64url')

/** A key that is a field of another record. */
export interface ReachedOrder extends Order {
  readonly by: Scalar
  readonly field: Field
}

/** The field behind such a key; undefined where the column is the resource's own. */
export const fieldBehind = (order: Order): Field | undefined => (isReached(order) ? order.field : undefined)

const isReached = (order: Order): order is ReachedOrder => order.by !== undefined && 'field' in order

const defaults = new WeakMap<Column, readonly Order[]>()

/** By creation where that is recorded and the caller may know of it, else by key. */
function defaultOrder(access: Access): readonly Order[] {
  const { resource } = access
  const column = access.readable('createdAt')?.column ?? resource.key.column!
  const known = defaults.get(column)
  if (known) return known
  const made = withKey([{ column, descending: false }], resource)
  defaults.set(column, made)
  return made
}

function withKey(keys: readonly Order[], { key }: Resource): readonly Order[] {
  const distinct = keys.filter(
    (one, at) => keys.findIndex((other) => other.column.name === one.column.name) === at,
  )
  if (distinct.some(({ column }) => column === key.column)) return distinct
  const last = distinct.at(-1)
  return [...distinct, { column: key.column!, descending: last?.descending ?? false }]
}
