import type { Kind } from '@svc/expression/contract'
import type { Measure, Scalar } from '@svc/store/contract'
import type { Filter } from '../door/readable.ts'
import { type Counted, ownFilters } from './counted.ts'
import type { Formula } from './formula.ts'

export const FUNCTIONS = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const
export type AggregateFunction = (typeof FUNCTIONS)[number]

/** What all records of a source come to, compiled. */
export interface CompiledMeasure {
  readonly counted: Counted
  readonly fn: AggregateFunction
  /** What is worked out of each; undefined where records are counted. */
  readonly formula: Formula | undefined
  /** Which of them count. */
  readonly condition: Filter | undefined
}

/** What is wrong with values of a kind for a function, in words. */
export function misfitOf(
  fn: AggregateFunction,
  { kind, field }: Pick<Formula, 'kind' | 'field'>,
): string | undefined {
  if (kind === 'unknown' || kind === 'null') return undefined
  if ((fn === 'sum' || fn === 'avg') && kind !== 'number') return `'${fn}' takes numbers, and this is ${kind}`
  const isOrdered =
    kind === 'number' || kind === 'date' || kind === 'datetime' || field?.compiled.type.column === 'time'
  if ((fn === 'min' || fn === 'max') && !isOrdered)
    return `'${fn}' takes numbers, dates and times, and this is ${kind}`
  return undefined
}

/** The expressions that a measure is worked out by, as they are written. */
export const textsOf = ({ counted, formula, condition }: CompiledMeasure): readonly string[] =>
  [...ownFilters(counted), condition, formula].flatMap((one) => one?.source ?? [])

/** The kind of what a measure comes to. */
export const kindOfMeasure = ({ fn, formula }: Pick<CompiledMeasure, 'fn' | 'formula'>): Kind =>
  (fn === 'min' || fn === 'max') && formula ? formula.kind : 'number'

/** What a measure is over nothing. */
export const overNothing = (fn: AggregateFunction): 0 | null =>
  fn === 'count' || fn === 'countDistinct' || fn === 'sum' ? 0 : null

/** A measure in the words of the store, of which a sum over nothing is null. */
export function measureOf(fn: AggregateFunction, scalar: Scalar | undefined): Measure {
  if (fn === 'count') return scalar ? { fn, scalar } : { fn }
  if (scalar === undefined) throw new Error(`'${fn}' needs something to work on`)
  return { fn, scalar }
}
