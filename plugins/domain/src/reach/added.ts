import { type EvaluationContext, type Expression, mergedReach } from '@svc/expression/contract'
import type { Reader, Row, SelectPlan, Value, Worked } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Restricted } from '../contract/restriction.ts'
import { workOut } from '../present/formulas.ts'
import { neighboursOf } from './neighbours.ts'

/** What is worked out of records besides their fields, for one caller. */
export interface AddedValues {
  /** The plan with all that these need of each row. */
  reading(plan: SelectPlan): SelectPlan
  /** `shown` with the values; `rows` are the same records as they were read. */
  to(shown: readonly Row[], rows: readonly Row[], reader: Reader): Promise<readonly Row[]>
}

const NOTHING: AddedValues = {
  reading: (plan) => plan,
  to: async (shown) => shown,
}

/** Values of expressions by what the caller may read in every record, and of scalars as the store answers them. */
export function addedValues(
  values: Readonly<Record<string, Expression>> = {},
  worked: readonly Worked[],
  access: Access,
  also: readonly Restricted[] = [],
): AddedValues {
  const expressions = Object.entries(values)
  if (expressions.length === 0 && worked.length === 0) return NOTHING
  const names = new Set(expressions.flatMap(([, { fields }]) => [...fields]))
  const fields = [...names].flatMap((name) => access.readable(name) ?? [])
  const reach = mergedReach([access.reachOf(fields), ...expressions.map(([, one]) => one.reach)])
  const columns = access.columns(fields)
  return {
    reading: (plan) => ({
      ...plan,
      columns: [...new Set([...plan.columns, ...columns])],
      ...(worked.length > 0 && { worked: [...(plan.worked ?? []), ...worked] }),
    }),
    async to(shown, rows, reader) {
      const found =
        reach.size === 0 ? [] : await neighboursOf(rows, reach, { reader, access, rights: 'caller', also })
      return shown.map((record, at) => {
        const row = rows[at]!
        const known = workOut(row, access, found[at])
        const context: EvaluationContext = {
          record: Object.fromEntries(fields.map(({ name }) => [name, known[name] ?? null])),
          neighbours: found[at],
          user: access.caller,
          op: 'list',
          now: access.now,
        }
        const added: Record<string, Value> = { ...record }
        for (const { column } of worked) added[column.name] = row[column.name] ?? null
        for (const [name, expression] of expressions) added[name] = expression.evaluate(context)
        return added
      })
    },
  }
}
