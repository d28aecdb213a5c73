import type { Ignored } from '@svc/kernel'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'

/**
 * Reads `fields=title,status`: the key always comes along, and what the caller may not see is left out. Without it
 * the fields are those of `otherwise`.
 */
export function selection(
  fields: string | undefined,
  access: Access,
  ignored: Ignored,
  otherwise = access.shown,
): readonly Field[] {
  if (fields === undefined || fields === '') return otherwise
  const asked = fields.split(',').flatMap((name) => {
    const field = access.selectable(name)
    if (field === undefined) ignored('fields', name)
    return field ?? []
  })
  return [...new Set([access.resource.key, ...asked])]
}
