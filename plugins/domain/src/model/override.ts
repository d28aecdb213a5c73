import type { Path } from '../definition/problem.ts'
import type { ResourceDefinition } from '../definition/schema/resource.ts'
import type { Formula } from './computed.ts'
import { buildField, type Computation, type Field, type FieldSurroundings } from './field.ts'

/** The longest chain of computed fields that read each other, where the definition does not say. */
const USUAL_DEPTH = 10

/** What the definition lets records say of computed fields; blocks judge it. */
interface Overriding {
  readonly overridable?: boolean | readonly string[]
  readonly maxDepth?: number
  readonly reactive?: boolean
  readonly crossRecord?: boolean
}

const overridingOf = (definition: ResourceDefinition): Overriding =>
  definition.mode === 'sheet'
    ? ((new Map(Object.entries(definition)).get('computedFields') as Overriding | undefined) ?? {})
    : {}

/** How many computed fields may read each other in a chain. */
export const maxDepthOf = (definition: ResourceDefinition): number =>
  overridingOf(definition).maxDepth ?? USUAL_DEPTH

/** Whether a resource keeps every computed field, so that all of them are filtered and sorted by. */
export const isReactive = (definition: ResourceDefinition): boolean =>
  overridingOf(definition).reactive === true

/** Whether stored formulas of a resource may look into other records. */
export const crossesRecords = (definition: ResourceDefinition): boolean =>
  overridingOf(definition).crossRecord === true

/** Whether records may have a formula of their own for a computed field. Only what is stored can be worked out by it. */
export function isOverridable(
  { name, stored, definition: { dynamic } }: Formula,
  definition: ResourceDefinition,
): boolean {
  if (dynamic === true) return false
  const { overridable = false } = overridingOf(definition)
  return stored === true && (typeof overridable === 'boolean' ? overridable : overridable.includes(name))
}

/** Whether a formula, or one that a record has in its place, may look into other records. */
export const looksAcross = (
  { crossings, overridable }: Computation,
  { others }: { readonly others: unknown },
): boolean => crossings.length > 0 || (overridable && others !== undefined)

/** The field that holds a record's own formula for a computed field. */
export const overrideName = (name: string): string => `${name}_formula`

/** The fields for formulas of records; a declared field of such a name is reported. */
export function overrideFields(
  formulas: ReadonlyMap<string, Formula>,
  definition: ResourceDefinition,
  around: FieldSurroundings,
): readonly Field[] {
  return [...formulas.values()]
    .filter((formula) => isOverridable(formula, definition))
    .flatMap((formula) => {
      const name = overrideName(formula.name)
      if (!Object.hasOwn(definition.object, name) && !formulas.has(name))
        return overrideField(formula, around)
      around.report.problem(
        ['domain', 'resources', around.resource!, formulas.has(name) ? 'computed' : 'object', name],
        `'${name}' is what a record's own formula for '${formula.name}' is called`,
        'Give the field another name',
      )
      return []
    })
}

function overrideField({ name: of, definition, source }: Formula, around: FieldSurroundings): Field {
  const { hidden, requestable } = definition
  const written = {
    type: 'text',
    overrides: of,
    ...(hidden !== undefined && { hidden }),
    ...(requestable !== undefined && { requestable }),
  }
  const path: Path = ['domain', 'resources', around.resource!]
  const field = buildField(overrideName(of), written, path, around)
  const type = Object.freeze({
    ...field.compiled.type,
    operators: ['null'] as const,
    sortable: false,
    searchable: false,
  })
  return Object.freeze({ ...field, compiled: Object.freeze({ ...field.compiled, type, example: source }) })
}
