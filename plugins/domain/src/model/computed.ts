import { withArticle } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import type { ComputedDefinition, FieldDefinition } from '../definition/schema/field.ts'
import type { Column } from '@svc/store/contract'
import {
  type BindValue,
  checkExpression,
  type Expression,
  ExpressionError,
  type Kind,
  kindOfColumn,
  mergedReach,
  parseExpression,
  type Reach,
  translateValue,
  type Vocabulary,
} from '@svc/expression/contract'
import type { ResourceDraft } from './draft.ts'
import { buildExpression } from './expression.ts'
import { indexedFields } from './table.ts'
import { buildField, type ComputedField, type Field, type FieldSurroundings } from './field.ts'
import { isOverridable, isReactive } from './override.ts'
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
  /** Undefined where nothing is said. */
  readonly stored: boolean | undefined
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
 * Adds the computed fields to drafts whose other fields are known, and answers those of each in an order in which each
 * comes after those that it reads. Those that reach other records come last, when all else is known of these.
 */
export function buildComputed(
  drafts: Iterable<ResourceDraft>,
  outer: FieldSurroundings,
): ReadonlyMap<ResourceDraft, readonly ComputedField[]> {
  const plans = [...drafts].map((draft) => plan(draft, outer))
  const near = plans.map((one) => build(one, one.near))
  return new Map(plans.map((one, at) => [one.draft, [...near[at]!, ...build(one, one.reaching)]]))
}

interface Plan {
  readonly draft: ResourceDraft
  readonly around: FieldSurroundings
  readonly near: readonly string[]
  readonly reaching: readonly string[]
}

function plan(draft: ResourceDraft, outer: FieldSurroundings): Plan {
  const around = { ...outer, indexed: indexedFields(draft.definition) }
  const names = new Map<string, Kind>(
    [...draft.fields.keys(), ...draft.formulas.keys()].map((name) => [name, 'unknown']),
  )
  const reads = new Map([...draft.formulas].map(([name, one]) => [name, readsOf(one, names, draft)]))
  const { ordered, unordered, circles } = dependencyOrder(
    draft.formulas,
    ({ name }) => reads.get(name)!.formulas,
  )
  for (const circle of circles) reportCircle(circle, draft, outer.report)
  for (const name of unordered) draft.fields.set(name, placeholder(draft.formulas.get(name)!, around))
  const reaching = new Set<string>()
  for (const name of ordered) {
    const { formulas, reaches } = reads.get(name)!
    if (reaches || formulas.some((one) => reaching.has(one))) reaching.add(name)
  }
  return {
    draft,
    around,
    near: ordered.filter((name) => !reaching.has(name)),
    reaching: ordered.filter((name) => reaching.has(name)),
  }
}

const build = ({ draft, around }: Plan, names: readonly string[]): readonly ComputedField[] =>
  names.flatMap((name) => {
    const field = buildOne(draft.formulas.get(name)!, draft, around)
    draft.fields.set(name, field)
    return isComputed(field) ? field : []
  })

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
    stored: bare ? undefined : computed.stored,
  })
}

interface Reads {
  /** Names of other formulas. */
  readonly formulas: readonly string[]
  /** Whether it reaches other records by itself. */
  readonly reaches: boolean
}

/** What a formula reads; nothing where it cannot be read, which is told when it is compiled. */
function readsOf(
  { source }: Formula,
  names: ReadonlyMap<string, Kind>,
  { formulas, relations }: ResourceDraft,
): Reads {
  try {
    const { fields, reach } = checkExpression(parseExpression(source), { fields: names, relations })
    return { formulas: [...fields].filter((name) => formulas.has(name)), reaches: reach.size > 0 }
  } catch (error) {
    if (error instanceof ExpressionError) return { formulas: [], reaches: false }
    throw error
  }
}

/** The related records that an expression is worked out from, by itself and by way of the formulas that it reads. */
export const wholeReach = (
  { reach, fields }: Pick<Expression, 'reach' | 'fields'>,
  known: ReadonlyMap<string, Field>,
): Reach => mergedReach([reach, ...[...fields].flatMap((name) => known.get(name)?.computed?.reach ?? [])])

function buildOne(one: Formula, draft: ResourceDraft, around: FieldSurroundings): Field {
  const vocabulary = vocabularyOf(draft, one.stored ? 'stored' : 'virtual')
  const expression = buildExpression(one.source, one.sourcePath, vocabulary, around.report)
  if (expression === undefined) return placeholder(one, around)
  const definition = { ...one.definition, type: one.definition.type ?? TYPES[expression.kind] }
  const reach = wholeReach(expression, draft.fields)
  const overridable = isOverridable(one, draft.definition)
  if (one.stored === true && reach.size > 0) {
    around.report.problem(
      one.sourcePath,
      `'${one.name}' is stored, and what it reads of '${[...reach.keys()].join("', '")}' changes without it`,
      isReactive(draft.definition)
        ? 'Drop computedFields.reactive: it keeps what is worked out from the record itself alone'
        : 'Drop stored: it is worked out on every read then',
    )
    return placeholder(one, around)
  }
  const field = buildField(
    one.name,
    definition,
    one.path,
    { ...around, resource: draft.name },
    {
      expression: overridable ? readingAll(expression, draft.fields) : expression,
      declared: expression.fields,
      overridable,
      stored: one.stored === true,
      reach,
      translated: translation(expression, vocabulary, draft.fields),
    },
  )
  warnOfKind(field, expression, one.sourcePath, around.report)
  return field
}

/** A formula that a record may exchange for one that reads anything: whoever may not read all of it is told no more than that. */
const readingAll = (expression: Expression, fields: ReadonlyMap<string, Field>): Expression => ({
  ...expression,
  fields: new Set([...expression.fields, ...[...fields.values()].filter(isBase).map(({ name }) => name)]),
})

/** Whether a formula of a record may read a field that nobody works out. */
export const isBase = ({ compiled, computed, overrides, hidden, requestable }: Field): boolean =>
  compiled.type.readable && computed === undefined && overrides === undefined && (!hidden || requestable)

/** What a store makes of a formula, worked out once and when somebody asks. */
function translation(
  expression: Expression,
  vocabulary: Vocabulary,
  fields: ReadonlyMap<string, Field>,
): () => BindValue | undefined {
  let known: { readonly value: BindValue | undefined } | undefined
  return () => {
    known ??= { value: translateValue(expression, { vocabulary, columns: columnsOf(fields) }) }
    return known.value
  }
}

const columnsOf = (fields: ReadonlyMap<string, Field>): ReadonlyMap<string, Column> =>
  new Map([...fields.values()].flatMap(({ name, column }) => (column ? [[name, column]] : [])))

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
