import type { Row, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'

/** How records are shown with less of what can be simplified, by as much as was asked for; undefined: as they are. */
export function simplifying(
  fields: readonly Field[],
  tolerance: number,
  access: Access,
): ((shown: Row, record: Row) => Row) | undefined {
  const simple = tolerance === 0 ? [] : fields.filter(({ compiled }) => compiled.simplify)
  if (simple.length === 0) return undefined
  return (shown, record) => {
    const values: Record<string, Value> = { ...shown }
    for (const { name, compiled } of simple) {
      const value = shown[name]
      // What stands in place of a value is none.
      if (value === undefined || value === null || access.sight(record, name) !== 'value') continue
      values[name] = compiled.simplify!(value, tolerance)
    }
    return values
  }
}
