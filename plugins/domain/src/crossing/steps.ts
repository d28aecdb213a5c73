import type { Expression } from '@svc/expression/contract'
import type { Row } from '@svc/store/contract'
import type { ComputedField } from '../model/field.ts'
import { overrideName } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { compiledOverride } from '../present/overrides.ts'

/** One formula in the order in which those of a record are worked out. */
export interface FormulaStep {
  readonly field: ComputedField
  /** The record's own formula, or the declared one; undefined where its own cannot be read any more. */
  readonly expression: Expression | undefined
}

/** What tells records apart whose formulas differ: their own ones. */
export const ownFormulas = (record: Row, { overrides }: Resource): string =>
  overrides.every(({ name }) => (record[name] ?? null) === null)
    ? ''
    : JSON.stringify(overrides.map(({ name }) => record[name] ?? null))

const declared = new WeakMap<Resource, readonly FormulaStep[]>()

/** The formulas of a record that stay off relationships, each after those that it reads in this very record. */
export function stepsOf(record: Row, resource: Resource): readonly FormulaStep[] {
  if (ownFormulas(record, resource) !== '') return inOrder(record, resource)
  const known = declared.get(resource)
  if (known !== undefined) return known
  const made = nearFields(resource).map((field) => ({ field, expression: field.computed.expression }))
  declared.set(resource, made)
  return made
}

const nearFields = ({ computed }: Resource): readonly ComputedField[] =>
  computed.filter((field) => field.computed.reach.size === 0)

function inOrder(record: Row, resource: Resource): readonly FormulaStep[] {
  const left = new Map(nearFields(resource).map((field) => [field.name, field]))
  const steps: FormulaStep[] = []
  const take = (field: ComputedField): void => {
    left.delete(field.name)
    const own = field.computed.overridable ? (record[overrideName(field.name)] ?? null) : null
    const expression = own === null ? field.computed.expression : compiledOverride(String(own), resource)
    for (const name of own === null ? field.computed.declared : (expression?.fields ?? [])) {
      const next = left.get(name)
      if (next) take(next)
    }
    steps.push({ field, expression })
  }
  for (const field of left.values()) if (left.has(field.name)) take(field)
  return steps
}
