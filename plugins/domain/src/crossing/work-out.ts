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
 * all that are stored, or those that are wanted. Records with the same formulas are worked out together. Answers, in the order
 * of the records, what came of each formula by the name of its field.
 */
export async function workOutStored(
  resource: Resource,
  rows: readonly Row[],
  reading: CrossReading,
  isWanted: (field: ComputedField) => boolean = () => true,
): Promise<readonly Row[]> {
  const alike = new Map<string, number[]>()
  for (const [at, row] of rows.entries()) {
    const key = ownFormulas(row, resource)
    const group = alike.get(key)
    if (group) group.push(at)
    else alike.set(key, [at])
  }
  const worked = rows.map((): Record<string, Value> => ({}))
  for (const group of alike.values()) {
    const steps = stepsOf(rows[group[0]!]!, resource).filter(
      ({ field }) => !field.computed.stored || isWanted(field),
    )
    const names = namesRead(steps)
    const working = group.map((at) => ({ known: part(rows[at]!, names), made: worked[at]! }))
    for (const step of steps) await workOutOne(step, working, reading)
  }
  return worked
}

interface Working {
  /** What formulas may read of the record: what is to be worked out is nothing until it is. */
  readonly known: Record<string, Value>
  readonly made: Record<string, Value>
}

/** The fields that formulas read and that are not worked out among them: of a wide record they are few. */
function namesRead(steps: readonly FormulaStep[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { field, expression } of steps) {
    const reads =
      expression === field.computed.expression ? field.computed.declared : (expression?.fields ?? [])
    for (const name of reads) names.add(name)
  }
  // Formulas in a circle come to the same however they begin.
  for (const { field } of steps) names.delete(field.name)
  return names
}

function part(row: Row, names: ReadonlySet<string>): Record<string, Value> {
  const made: Record<string, Value> = {}
  for (const name of names) made[name] = row[name] ?? null
  return made
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
          group.map(({ known }) => known),
          reading,
        )
  for (const [at, { known, made }] of group.entries()) {
    const context = { record: known, crossed: crossed?.[at], now: reading.now }
    const value = fitting(expression?.evaluate(context) ?? null, field.compiled)
    known[field.name] = value
    made[field.name] = value
  }
}
