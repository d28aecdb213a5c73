import type { Ignored } from '@svc/kernel'
import type { Column, Order } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Resource } from '../model/resource.ts'

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
    ignored('sort', name)
    return []
  })
}

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
  const distinct = keys.filter((one, at) => keys.findIndex((other) => other.column === one.column) === at)
  if (distinct.some(({ column }) => column === key.column)) return distinct
  const last = distinct.at(-1)
  return [...distinct, { column: key.column!, descending: last?.descending ?? false }]
}
