import type { Ignored } from '@svc/kernel'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import { type Included, isIncludedField } from './include.ts'

/**
 * Reads `fields=title,status`: the key comes along, and what the caller may not see is left out, the key too. Without it
 * the fields are those of `otherwise`. Fields of what is included are left to that.
 */
export function selection(
  fields: string | undefined,
  access: Access,
  ignored: Ignored,
  otherwise = access.shown,
  included?: Included,
): readonly Field[] {
  if (fields === undefined || fields === '') return otherwise
  const asked = fields.split(',').flatMap((name) => {
    if (included && isIncludedField(name, included)) return []
    const field = access.selectable(name)
    if (field === undefined) ignored('fields', name)
    return field ?? []
  })
  const key = access.selectable(access.resource.key.name)
  return [...new Set(key === undefined ? asked : [key, ...asked])]
}
