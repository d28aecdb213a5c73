import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import { paced } from './paced.ts'

/** Records as they are shown, and the rows that they are made of. */
type Simplify = (shown: readonly Row[], rows: readonly Row[]) => Promise<readonly Row[]>

/** Shows records with less of what can be simplified, by as much as was asked for; undefined: as they are. */
export function simplifying(
  fields: readonly Field[],
  tolerance: number,
  access: Access,
): Simplify | undefined {
  const simple = tolerance === 0 ? [] : fields.filter(({ compiled }) => compiled.simplify)
  if (simple.length === 0) return undefined
  return (shown, rows) =>
    paced(shown, (record, at) => simplified(record, rows[at]!, simple, { tolerance, access }))
}

function simplified(
  shown: Row,
  row: Row,
  fields: readonly Field[],
  { tolerance, access }: { readonly tolerance: number; readonly access: Access },
): Row {
  const values: Record<string, Value> = { ...shown }
  for (const { name, compiled } of fields) {
    const value = shown[name]
    // What stands in place of a value is none.
    if (value === undefined || value === null || access.sight(row, name) !== 'value') continue
    values[name] = compiled.simplify!(value, tolerance)
  }
  return values
}
