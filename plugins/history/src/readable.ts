import type { Access, Resource } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'

/** What the fields of a resource that were renamed are called now, by their former names. */
export const renamed = ({ fields }: Resource): ReadonlyMap<string, string> =>
  new Map(
    [...fields.values()].flatMap(({ name, renamedFrom: old }) =>
      old !== undefined && !fields.has(old) ? [[old, name] as const] : [],
    ),
  )

/** Whether a caller may read what was kept of a field, under the name that it had; of one that is gone nobody may. */
export const mayRead = (name: string, access: Access, names: ReadonlyMap<string, string>): boolean =>
  access.readable(names.get(name) ?? name) !== undefined

/** A kept record under the names that its fields have now. */
export function underPresentNames(record: Row, names: ReadonlyMap<string, string>): Row {
  if (names.size === 0) return record
  const moved = Object.entries(record).map(([name, value]): readonly [string, Value] => [
    names.get(name) ?? name,
    value,
  ])
  return Object.fromEntries(moved)
}
