import type { Row, Value } from '@svc/store/contract'
import type { ComputedField } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { fitting } from '../present/formulas.ts'
import { type FormulaStep, ownFormulas, stepsOf } from './steps.ts'
import { type Crossed, crossedFor, type CrossReading } from './values.ts'

/** Whether formulas of a resource, declared ones and those of records, may look into other records. */
export const looksAcross = ({ others }: Resource): boolean => others !== undefined

/**
 * Works stored formulas of records out, declared ones and those of records alike, with what they look for in other records:
 * all that are stored, or those that are wanted. Records with the same formulas are worked out together. Answers the records
 * with all their values, in their order.
 */
export async function workOutStored(
  resource: Resource,
  rows: readonly Row[],
  reading: CrossReading,
  isWanted: (field: ComputedField) => boolean = () => true,
): Promise<readonly Row[]> {
  const known = rows.map((row) => ({ row, values: emptied(row, resource, isWanted) }))
  const alike = new Map<string, Working[]>()
  for (const one of known) {
    const key = ownFormulas(one.row, resource)
    const group = alike.get(key)
    if (group) group.push(one)
    else alike.set(key, [one])
  }
  for (const group of alike.values())
    for (const step of stepsOf(group[0]!.row, resource))
      if (!step.field.computed.stored || isWanted(step.field)) await workOutOne(step, group, reading)
  return known.map(({ values }) => values)
}

interface Working {
  readonly row: Row
  readonly values: Record<string, Value>
}

/** What is to be worked out counts as nothing until it is: formulas in a circle then come to the same however they begin. */
function emptied(
  row: Row,
  { computed }: Resource,
  isWanted: (field: ComputedField) => boolean,
): Record<string, Value> {
  const values: Record<string, Value> = { ...row }
  for (const field of computed) if (field.computed.stored && isWanted(field)) delete values[field.name]
  return values
}

async function workOutOne(
  { field, expression }: FormulaStep,
  group: readonly Working[],
  reading: CrossReading,
): Promise<void> {
  const crossed: readonly Crossed[] | undefined =
    expression === undefined || expression.crossings.length === 0
      ? undefined
      : await crossedFor(
          expression,
          group.map(({ values }) => values),
          reading,
        )
  for (const [at, { values }] of group.entries()) {
    const context = { record: values, crossed: crossed?.[at], now: reading.now }
    values[field.name] = fitting(expression?.evaluate(context) ?? null, field.compiled)
  }
}
