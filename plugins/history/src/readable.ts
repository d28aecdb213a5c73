import type { Access, Resource } from '@svc/domain/contract'

/** What fields are called now, by the names that ledgers know them by: former ones, and those of columns of users. */
export function renamed(resource: Resource): ReadonlyMap<string, string> {
  const names = known.get(resource) ?? namesIn(resource)
  known.set(resource, names)
  return names
}

const known = new WeakMap<Resource, ReadonlyMap<string, string>>()

const namesIn = ({ fields }: Resource): ReadonlyMap<string, string> =>
  new Map(
    [...fields.values()].flatMap(({ name, keptAs, renamedFrom: old }) => [
      ...(keptAs === name ? [] : [[keptAs, name] as const]),
      ...(old !== undefined && !fields.has(old) ? [[old, name] as const] : []),
    ]),
  )

/** What an entry calls a value that it knows by the id of a column; a declared field has the name that the entry knows it by. */
export const shownName = (name: string, names: ReadonlyMap<string, string>): string =>
  name.startsWith('~') ? (names.get(name) ?? name) : name

/** Whether a caller may read what was kept of a field, under the name that it had; of one that is gone nobody may. */
export const mayRead = (name: string, access: Access, names: ReadonlyMap<string, string>): boolean =>
  access.readable(names.get(name) ?? name) !== undefined
