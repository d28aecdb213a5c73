import type { Neighbours } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import { workOut } from './formulas.ts'

/** What stands in place of a masked value. */
export const MASK = '***'

/**
 * The `fields` of a record of which more is known than the caller may see, in the order of `fields`. `neighbours` are what
 * `access.reachOf(fields)` asks for, by the caller's rights. The fields are those that the caller may ask for.
 */
export function presentRecord(
  record: Row,
  fields: readonly Field[],
  access: Access,
  neighbours?: Neighbours,
): Row {
  const known = workOut(record, access, neighbours)
  const shown: Record<string, Value> = {}
  const { isPlain } = access
  for (const { name } of fields) {
    const sight = isPlain ? 'value' : access.sight(record, name)
    if (sight !== 'nothing') shown[name] = sight === 'mask' ? MASK : (known[name] ?? null)
  }
  return shown
}

/** The same of any fields: those that the caller may not ask for are left out. */
export const presentReadable = (
  record: Row,
  fields: readonly Field[],
  access: Access,
  neighbours?: Neighbours,
): Row =>
  presentRecord(
    record,
    fields.filter(({ name }) => access.selectable(name) !== undefined),
    access,
    neighbours,
  )
