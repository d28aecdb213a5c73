import { type Field, type Resource, someInside, walk } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import { MEDIA_TYPE } from './field-type.ts'

/** Whether a field holds ids of items, or something inside of its values does. */
export const holdsMedia = ({ column, compiled }: Field): boolean =>
  column !== undefined && isMediaInside(compiled)

const isMediaInside = someInside(({ type }) => type.name === MEDIA_TYPE)

/** The fields of a resource that hold ids of items. */
export const mediaFieldsOf = ({ fields }: Resource): readonly Field[] =>
  [...fields.values()].filter(holdsMedia)

export const refersToMedia = (resource: Resource): boolean => mediaFieldsOf(resource).length > 0

/** The ids that a field of a row holds, each once. */
export function idsIn(row: Row | undefined, { name, compiled }: Field): ReadonlySet<string> {
  const ids = new Set<string>()
  walk(compiled, row?.[name] ?? null, ({ type, refersTo }, value) => {
    if (type.name === MEDIA_TYPE && refersTo !== undefined) for (const id of refersTo(value)) ids.add(id)
  })
  return ids
}
