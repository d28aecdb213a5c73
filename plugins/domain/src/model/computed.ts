import { withArticle } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import type { ComputedDefinition, FieldDefinition } from '../definition/schema/field.ts'
import {
  checkExpression,
  type Expression,
  ExpressionError,
  type Kind,
  kindOfColumn,
  parseExpression,
} from '@svc/expression/contract'
import type { ResourceDraft } from './draft.ts'
import { buildExpression } from './expression.ts'
import { indexedFields } from './table.ts'
import { buildField, type ComputedField, type Field, type FieldSurroundings } from './field.ts'
import { dependencyOrder } from './dependency-order.ts'
import type { Report } from './report.ts'
import { vocabularyOf } from './vocabulary.ts'

/** A computed field as it is declared, before the fields that it reads are known. */
export interface Formula {
  readonly name: string
  /** Where the field is declared. */
  readonly path: Path
  /** The field without its formula. */
  readonly definition: FieldDefinition
  readonly source: string
  /** Where the expression is written. */
  readonly sourcePath: Path
  readonly stored: boolean
}

/** The formula of a field that is declared with `computed`; undefined for any other. */
export function formulaOf(name: string, written: string | FieldDefinition, path: Path): Formula | undefined {
  if (typeof written === 'string' || written.computed === undefined) return undefined
  const { computed, ...rest } = written
  return formula(name, { ...rest, ...factsOf(computed) }, computed, path, [...path, 'computed'])
}

/** The formula of an entry in a resource's `computed`. */
export const listedFormula = (name: string, computed: ComputedDefinition, path: Path): Formula =>
  formula(name, factsOf(computed), computed, path, path)

/**
 * Adds the computed fields to a draft whose other fields are known, and answers them in an order in which each
 * comes after those that it reads.
 */
export function buildComputed(draft: ResourceDraft, outer: FieldSurroundings): readonly ComputedField[] {
  const { report } = outer
  const around = { ...outer, indexed: indexedFields(draft.definition) }
  const names = new Map<string, Kind>([...draft.formulas.keys()].map((name) => [name, 'unknown']))
  const { ordered, unordered, circles } = dependencyOrder(draft.formulas, (one) => readsOf(one, names))
  for (const circle of circles) reportCircle(circle, draft, report)
  for (const name of unordered) draft.fields.set(name, placeholder(draft.formulas.get(name)!, around))
  const built = ordered.flatMap((name) => {
    const field = buildOne(draft.formulas.get(name)!, draft, around)
    draft.fields.set(name, field)
    return isComputed(field) ? field : []
  })
  return built
}

/** Whether the service works the field out. */
export const isComputed = (field: Field): field is ComputedField => field.computed !== undefined

const factsOf = (computed: ComputedDefinition): FieldDefinition => {
  if (typeof computed === 'string') return {}
  const { type, label, description } = computed
  return { ...(type && { type }), ...(label && { label }), ...(description && { description }) }
}

function formula(
  name: string,
  definition: FieldDefinition,
  computed: ComputedDefinition,
  path: Path,
  at: Path,
): Formula {
  const bare = typeof computed === 'string'
  return Object.freeze({
    name,
    path,
    definition,
    source: bare ? computed : computed.expression,
    sourcePath: bare ? at : [...at, 'expression'],
    stored: bare ? false : (computed.stored ?? false),
  })
}

/** What a formula reads of `names`; nothing where it cannot be read, which is told when it is compiled. */
function readsOf({ source }: Formula, names: ReadonlyMap<string, Kind>): readonly string[] {
  try {
    return [...checkExpression(parseExpression(source), { fields: names }).fields]
  } catch (error) {
    if (error instanceof ExpressionError) return []
    throw error
  }
}

function buildOne(one: Formula, draft: ResourceDraft, around: FieldSurroundings): Field {
  const vocabulary = vocabularyOf(draft, one.stored ? 'stored' : 'virtual')
  const expression = buildExpression(one.source, one.sourcePath, vocabulary, around.report)
  if (expression === undefined) return placeholder(one, around)
  const definition = { ...one.definition, type: one.definition.type ?? TYPES[expression.kind] }
  const field = buildField(one.name, definition, one.path, around, { expression, stored: one.stored })
  warnOfKind(field, expression, one.sourcePath, around.report)
  return field
}

/** Stands in for a field whose formula is wrong, so that others may name it. */
const placeholder = ({ name, definition, path }: Formula, around: FieldSurroundings): Field =>
  buildField(name, { ...definition, type: definition.type ?? 'json' }, path, around)

/** The type of a computed field that names none. */
const TYPES = {
  text: 'string',
  number: 'decimal',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
  list: 'array',
  object: 'json',
  null: 'json',
  unknown: 'json',
} as const satisfies Record<Kind, string>

/** Dates are texts to their columns, and anything may be in what has no kind of its own. */
const looseKind = (kind: Kind): Kind => (kind === 'date' || kind === 'datetime' ? 'text' : kind)
const OPEN: readonly Kind[] = ['unknown', 'null']

function warnOfKind({ compiled }: Field, { kind }: Expression, path: Path, report: Report): void {
  const wanted = kindOfColumn(compiled.type.column)
  if (OPEN.includes(kind) || OPEN.includes(wanted) || looseKind(kind) === looseKind(wanted)) return
  report.warning(path, `this gives ${kind}, and ${withArticle(compiled.type.name)} holds ${wanted}`)
}

function reportCircle(circle: readonly string[], { formulas }: ResourceDraft, report: Report): void {
  const first = formulas.get(circle[0]!)!
  report.problem(
    first.sourcePath,
    `the formulas read each other in a circle: ${[...circle, first.name].join(' → ')}`,
    'Let one of them read stored fields alone',
  )
}
