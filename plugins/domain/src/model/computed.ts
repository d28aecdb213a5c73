import { withArticle } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import type { ComputedDefinition, FieldDefinition } from '../definition/schema/field.ts'
import type { Column } from '@svc/store/contract'
import {
  type BindValue,
  type Expression,
  type Kind,
  kindOfColumn,
  mergedReach,
  type Reach,
  translateValue,
  type Vocabulary,
} from '@svc/expression/contract'
import type { ResourceDraft } from './draft.ts'
import { buildExpression } from './expression.ts'
import { indexedFields } from './table.ts'
import { buildField, type ComputedField, type Field, type FieldSurroundings } from './field.ts'
import { isOverridable, isReactive } from './override.ts'
import { fieldId, type Reads, readsOf } from './formula-reads.ts'
import { dependencyOrder } from './dependency-order.ts'
import type { Report } from './report.ts'
import { crossingFault } from './others.ts'
import { formulaVocabulary, userVocabulary, vocabularyOf } from './vocabulary.ts'

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
 * comes after those that it reads. Those that look into other records come after what they read there, wherever that is, and
 * those that reach along relationships last, when all else is known of these.
 */
export function buildComputed(
  drafts: Iterable<ResourceDraft>,
  outer: FieldSurroundings,
): ReadonlyMap<ResourceDraft, readonly ComputedField[]> {
  const plans = [...drafts].map((draft) => plan(draft, outer))
  const built = new Map(plans.map((one) => [one.draft, [...build(one, one.near)]]))
  for (const [one, name] of acrossOrder(plans)) built.get(one.draft)!.push(...build(one, [name]))
  for (const one of plans) built.get(one.draft)!.push(...build(one, one.reaching))
  return built
}

interface Plan {
  readonly draft: ResourceDraft
  readonly around: FieldSurroundings
  readonly near: readonly string[]
  /** Those that look into other records, by themselves or by what they read, with what they read. */
  readonly crossing: ReadonlyMap<string, Reads>
  readonly reaching: readonly string[]
}

/** The formulas that look into other records, each after those that it reads there; a circle is reported. */
function acrossOrder(plans: readonly Plan[]): readonly (readonly [Plan, string])[] {
  const placed = new Map(
    plans.flatMap((one) =>
      [...one.crossing].map(
        ([name, reads]) => [fieldId(one.draft.name, name), { plan: one, name, reads }] as const,
      ),
    ),
  )
  const { ordered, unordered, circles } = dependencyOrder(placed, ({ plan: { draft }, reads }) => [
    ...reads.formulas.map((name) => fieldId(draft.name, name)),
    ...reads.across,
  ])
  for (const circle of circles) {
    const { plan: one, name } = placed.get(circle[0]!)!
    const { sourcePath } = one.draft.formulas.get(name)!
    one.around.report.problem(
      sourcePath,
      `the formulas read each other in a circle, across records: ${[...circle, circle[0]].join(' → ')}`,
      'Let one of them read fields that nobody works out',
    )
  }
  for (const id of unordered) {
    const { plan: one, name } = placed.get(id)!
    one.draft.fields.set(name, placeholder(one.draft.formulas.get(name)!, one.around))
  }
  return ordered.map((id) => {
    const { plan: one, name } = placed.get(id)!
    return [one, name] as const
  })
}

function plan(draft: ResourceDraft, outer: FieldSurroundings): Plan {
  const around = { ...outer, indexed: indexedFields(draft) }
  const known = [...draft.fields.values(), ...draft.formulas.values()]
  const [names, declared] = [known, known.filter((one) => !isDynamic(one))].map(
    (some) => new Map<string, Kind>(some.map(({ name }) => [name, 'unknown'])),
  )
  const reads = new Map(
    [...draft.formulas].map(([name, one]) => [
      name,
      readsOf(one, isDynamic(one) ? names! : declared!, draft),
    ]),
  )
  const { ordered, unordered, circles } = dependencyOrder(
    draft.formulas,
    ({ name }) => reads.get(name)!.formulas,
  )
  for (const circle of circles) reportCircle(circle, draft, outer.report)
  for (const name of unordered) draft.fields.set(name, placeholder(draft.formulas.get(name)!, around))
  const reaching = new Set<string>()
  const crossing = new Map<string, Reads>()
  for (const name of ordered) {
    const one = reads.get(name)!
    if (one.reaches || one.formulas.some((other) => reaching.has(other))) reaching.add(name)
    else if (one.across.length > 0 || one.formulas.some((other) => crossing.has(other)))
      crossing.set(name, one)
  }
  return {
    draft,
    around,
    near: ordered.filter((name) => !reaching.has(name) && !crossing.has(name)),
    crossing,
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

/** The related records that an expression is worked out from, by itself and by way of the formulas that it reads. */
export const wholeReach = (
  { reach, fields }: Pick<Expression, 'reach' | 'fields'>,
  known: ReadonlyMap<string, Field>,
): Reach => mergedReach([reach, ...[...fields].flatMap((name) => known.get(name)?.computed?.reach ?? [])])

function buildOne(one: Formula, draft: ResourceDraft, around: FieldSurroundings): Field {
  const vocabulary = vocabularyFor(one, draft)
  const expression = buildExpression(one.source, one.sourcePath, vocabulary, around.report)
  if (expression === undefined || reportCrossings(expression, one, draft, around.report))
    return placeholder(one, around)
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
      crossings: expression.crossings,
      translated: translation(expression, vocabulary, draft.fields),
    },
  )
  warnOfKind(field, expression, one.sourcePath, around.report)
  return field
}

function vocabularyFor({ definition, stored }: Formula, draft: ResourceDraft): Vocabulary {
  if (isDynamic({ definition })) return userVocabulary(draft)
  return stored ? formulaVocabulary(draft) : vocabularyOf(draft, 'virtual')
}

const isDynamic = ({ definition }: Pick<Field, 'definition'>): boolean => definition['dynamic'] === true

/** Reports what of a formula no store can work out; answers whether there is anything. */
function reportCrossings(
  { crossings }: Expression,
  { sourcePath }: Formula,
  { others }: ResourceDraft,
  report: Report,
): boolean {
  const faults = others === undefined ? [] : crossings.flatMap((one) => crossingFault(one, others) ?? [])
  for (const message of faults) report.problem(sourcePath, message)
  return faults.length > 0
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
