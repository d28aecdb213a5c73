import type { Expression } from '@svc/expression/contract'
import type { Condition, Reader } from '@svc/store/contract'
import type { ComputedField } from '../model/field.ts'
import { overrideName } from '../model/override.ts'
import type { Resource } from '../model/resource.ts'
import { compiledOverride } from '../present/overrides.ts'

/** A formula, and the records of whose field it is the one that counts. */
export interface Formula {
  readonly resource: Resource
  readonly field: ComputedField
  readonly expression: Expression
  /** The text, where records have it as their own; undefined of the declared one. */
  readonly own: string | undefined
  /** The fields of its own record that it reads, by way of formulas that are not stored too. */
  readonly reads: ReadonlySet<string>
}

/** The declared formulas of a resource that are stored. */
export const declaredFormulas = (resource: Resource): readonly Formula[] =>
  resource.computed
    .filter(({ computed }) => computed.stored && computed.reach.size === 0)
    .map((field) => {
      const { expression, declared } = field.computed
      return { resource, field, expression, own: undefined, reads: throughVirtual(declared, resource) }
    })

/** A formula that records have in place of the declared one; undefined where it cannot be read any more. */
export function ownFormula(source: string, field: ComputedField, resource: Resource): Formula | undefined {
  const expression = compiledOverride(source, resource)
  return expression && formulaWith({ resource, field, expression, own: source })
}

/** A formula, with what it reads. */
export const formulaWith = (one: Omit<Formula, 'reads'>): Formula => ({
  ...one,
  reads: throughVirtual(one.expression.fields, one.resource),
})

/** The formulas that records have, each text once; fields are asked about in one go. */
export async function ownFormulas(resource: Resource, reader: Reader): Promise<readonly Formula[]> {
  const overridable = resource.computed.filter(({ computed }) => computed.overridable)
  const found = await Promise.all(overridable.map((field) => ownFormulasOf(field, resource, reader)))
  return found.flat()
}

async function ownFormulasOf(
  field: ComputedField,
  resource: Resource,
  reader: Reader,
): Promise<readonly Formula[]> {
  const column = resource.fields.get(overrideName(field.name))!.column!
  const where: Condition = { op: 'not', of: { op: 'null', column } }
  const rows = await reader.select({
    table: resource.table,
    columns: [column],
    distinct: true,
    where,
    order: [],
  })
  return rows.flatMap((row) => ownFormula(String(row[column.name]), field, resource) ?? [])
}

/** The records whose formula it is. */
export function rowsOfFormula({ resource, field, own }: Formula): Condition {
  if (!field.computed.overridable) return { op: 'always' }
  const column = resource.fields.get(overrideName(field.name))!.column!
  return own === undefined ? { op: 'null', column } : { op: 'eq', column, value: own }
}

/** Names of fields, with what the formulas among them read that are worked out on the way. */
function throughVirtual(names: Iterable<string>, { fields }: Resource): ReadonlySet<string> {
  const found = new Set(names)
  // A set that grows goes on over what is added to it.
  for (const name of found) {
    const computed = fields.get(name)?.computed
    if (computed?.stored === false) for (const next of computed.declared) found.add(next)
  }
  return found
}
