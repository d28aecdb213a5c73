import { type Counted, countedAt } from '../../aggregates/counted.ts'
import { compileFormula } from '../../aggregates/formula.ts'
import { type CompiledMeasure, kindOfMeasure, misfitOf } from '../../aggregates/measure.ts'
import { type Filter, refuseSecrets, warnOfRoles } from '../../door/readable.ts'
import { formatOfField, formatOfKind } from '../../formats/format.ts'
import { scopeOf } from '../../views/compile.ts'
import type { WrittenQuery } from '../definition.ts'
import type { QueryKey } from './kind.ts'
import { required, type WidgetPlace } from './place.ts'

/** What the query of a widget of figures takes. */
export const COUNTS: readonly QueryKey[] = ['source', 'filter', 'scope', 'aggregate', 'field']

/** What is gathered of which records. */
export interface Gathered {
  readonly measure: CompiledMeasure
  readonly where: readonly Filter[]
}

/** Compiles what is counted of which records; undefined where something is missing that was reported. */
export function gatheredOf(query: WrittenQuery, place: WidgetPlace): Gathered | undefined {
  const { site, views, path } = place
  if (!required(query, 'source', place)) return undefined
  const found = countedAt(query.source!, site, views, [...path, 'source'])
  if (found === undefined) return undefined
  const counted: Counted =
    query.scope === undefined
      ? found
      : { ...found, scope: scopeOf(query.scope, found.resource, site, [...path, 'scope']) }
  const where = whereOf(query.filter, counted, place)
  const fn = query.aggregate ?? 'count'
  const formula =
    query.field === undefined ? undefined : compileFormula(query.field, counted, site, [...path, 'field'])
  if (query.field === undefined && fn !== 'count') {
    site.problem([...path, 'field'], `is missing: '${fn}' needs one`)
    return undefined
  }
  const misfit = formula && misfitOf(fn, formula)
  if (misfit) site.problem([...path, 'aggregate'], misfit)
  if (where === undefined || (query.field !== undefined && formula === undefined)) return undefined
  return { measure: { counted, fn, formula, condition: undefined }, where }
}

/** Compiles the filter of a query; undefined where it was reported. */
export function whereOf(
  filter: string | undefined,
  { resource }: Counted,
  { site, path, door }: WidgetPlace,
): readonly Filter[] | undefined {
  if (filter === undefined) return []
  const compiled = site.rows(filter, [...path, 'filter'], { resource, moment: 'read' })
  if (compiled) {
    refuseSecrets(compiled, resource, [...path, 'filter'], site)
    warnOfRoles(door, compiled, resource, [...path, 'filter'], site)
  }
  return compiled && [compiled]
}

/** How values of a measure are written unless a widget says. */
export function formatOfMeasure(measure: CompiledMeasure): string {
  const { fn, formula } = measure
  if (fn === 'count' || fn === 'countDistinct') return 'integer'
  return formula?.field ? formatOfField(formula.field) : formatOfKind(kindOfMeasure(measure))
}
