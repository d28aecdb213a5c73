import type { BindingContext } from '@svc/expression/contract'
import type { Condition, Measure, Row, Value } from '@svc/store/contract'
import { type Asking, bindingFor, type Filter } from '../door/readable.ts'
import { type Counted, ownFilters } from './counted.ts'
import type { Formula } from './formula.ts'
import { type CompiledMeasure, measureOf, overNothing } from './measure.ts'

/** Stands in place of what a caller may not be told. */
export const FORBIDDEN = Symbol('forbidden')

/** A figure that is asked for. */
export interface Ask {
  readonly measure: CompiledMeasure
  /** What picks its records besides its source. */
  readonly where: readonly Filter[]
}

/**
 * The bindings of what is worked out of a source, for a caller who may list it and read all that goes into this in every
 * record; undefined for any other.
 */
export function bindingOf(
  counted: Counted,
  filters: readonly Filter[],
  formulas: readonly Formula[],
  asking: Asking,
): BindingContext | undefined {
  const { data, caller } = asking
  const { resource } = counted
  const access = data.access(resource, caller)
  if (access.rowsIfAny('list') === undefined) return undefined
  for (const { isOwn, field, through } of formulas) {
    if (isOwn && field && access.readable(field.name) === undefined) return undefined
    if (through && data.access(through, caller).rowsIfAny('list') === undefined) return undefined
  }
  return bindingFor(
    resource,
    [...ownFilters(counted), ...filters, ...formulas.map(({ reads }) => reads)],
    asking,
  )
}

/** The query that chooses a source's scope. */
export const inScope = ({ scope }: Pick<Counted, 'scope'>): Readonly<Record<string, string>> =>
  scope === undefined ? {} : { scope }

/** The conditions of a source and of who asks for some of it. */
export const conditionsOf = (
  counted: Counted,
  filters: readonly Filter[],
  binding: BindingContext,
): readonly Condition[] => [...ownFilters(counted), ...filters].map((one) => one.rows(binding))

/** A statement that answers several of the figures. */
interface Statement {
  readonly counted: Counted
  readonly where: readonly Condition[]
  readonly measures: Record<string, Measure>
  readonly asked: { readonly at: number; readonly measure: CompiledMeasure }[]
}

/**
 * Works out figures: those of the same records in one statement. One that the caller may not be told is FORBIDDEN, and the
 * others are answered.
 */
export async function answersOf(
  asks: readonly Ask[],
  asking: Asking,
  { isExport = false }: { readonly isExport?: boolean } = {},
): Promise<readonly (Value | typeof FORBIDDEN)[]> {
  const answers: (Value | typeof FORBIDDEN)[] = asks.map(() => FORBIDDEN)
  const statements = new Map<string, Statement>()
  for (const [at, { measure, where }] of asks.entries()) {
    const { counted, formula, condition } = measure
    const filters = condition ? [...where, condition] : where
    const binding = bindingOf(counted, filters, formula ? [formula] : [], { ...asking, isExport })
    if (binding === undefined) continue
    const key = keyOf(counted, where)
    const statement: Statement = statements.get(key) ?? {
      counted,
      where: conditionsOf(counted, where, binding),
      measures: {},
      asked: [],
    }
    statements.set(key, statement)
    statement.measures[`m${at}`] = {
      ...measureOf(measure.fn, formula?.scalar(binding)),
      ...(condition && { where: condition.rows(binding) }),
    }
    statement.asked.push({ at, measure })
  }
  for (const statement of statements.values()) {
    const row = await oneRow(statement, asking, isExport)
    for (const { at, measure } of statement.asked) answers[at] = row[`m${at}`] ?? overNothing(measure.fn)
  }
  return answers
}

/** Figures are of the same records where their sources and conditions read alike. */
const keyOf = ({ resource, view, scope }: Counted, where: readonly Filter[]): string =>
  JSON.stringify([resource.name, scope, view?.filter?.source, ...where.map(({ source }) => source)])

async function oneRow(
  { counted, where, measures }: Statement,
  asking: Asking,
  isExport: boolean,
): Promise<Row> {
  const { only, among } = gathered(measures)
  const [row = {}] = await asking.data.aggregate(
    counted.resource,
    { query: inScope(counted), where: only ? [...where, only] : where, by: {}, measures: among, isExport },
    asking,
  )
  return row
}

/** A condition that all figures share picks the records, so that an index may help. */
function gathered(measures: Readonly<Record<string, Measure>>) {
  const all = Object.entries(measures)
  const [first] = all
  const only = first?.[1].where
  if (all.length !== 1 || only === undefined) return { only: undefined, among: measures }
  const { where: _, ...measure } = first![1]
  return { only, among: { [first![0]]: measure } }
}
