import { exactAverage, exactSum, type Measure, type Row, type Scalar, type Value } from '@svc/store/contract'
import { type CompiledMeasure, measureOf, overNothing } from '../../aggregates/measure.ts'
import type { Slots } from './window.ts'

/** No double stands for two decimals of up to fifteen digits. */
const MOST_UNITS = 1e15

/** How the value of an interval is put together of what its slots come to. */
export interface Fold {
  /** What is asked of each slot. */
  readonly measures: Readonly<Record<string, Measure>>
  /** Of the rows of its slots, at least one; undefined where they do not say it exactly. */
  of(rows: readonly Row[]): Value | undefined
}

/**
 * The fold of a measure; undefined where slots do not tell: how many different values there are, and sums of numbers whose
 * digits have no end that is known.
 */
export function foldOf(
  { fn, formula }: Pick<CompiledMeasure, 'fn' | 'formula'>,
  scalar: Scalar | undefined,
  { isWhole }: Pick<Slots, 'isWhole'>,
): Fold | undefined {
  const value = measureOf(fn, scalar)
  if (isWhole) return { measures: { value }, of: ([row]) => row?.['value'] ?? overNothing(fn) }
  const scale = formula?.column && formula.field?.compiled.scale
  switch (fn) {
    case 'count':
      return { measures: { value }, of: (rows) => rows.reduce((sum, row) => sum + Number(row['value']), 0) }
    case 'min':
    case 'max':
      return isOrdered(formula) ? { measures: { value }, of: (rows) => mostOf(rows, fn) } : undefined
    case 'sum':
      return scale === undefined ? undefined : { measures: { value }, of: (rows) => sumOf(rows, scale) }
    case 'avg':
      return scale === undefined || scalar === undefined
        ? undefined
        : {
            measures: { value: { fn: 'sum', scalar }, count: { fn: 'count', scalar } },
            of: (rows) => averageOf(rows, scale),
          }
    default:
      return undefined
  }
}

/** The values of `count` intervals of what the store answered for `slot`; undefined where that does not say it exactly. */
export function folded(
  rows: readonly Row[],
  { of }: Fold,
  { placeOf }: Slots,
  intervals: { readonly count: number; readonly nothing: Value },
): readonly Value[] | undefined {
  const gathered = Array.from({ length: intervals.count }, (): Row[] => [])
  for (const row of rows) {
    const place = placeOf(String(row['slot']))
    if (place !== undefined) gathered[place]!.push(row)
  }
  const values = gathered.map((own) => (own.length === 0 ? intervals.nothing : of(own)))
  return values.includes(undefined) ? undefined : (values as readonly Value[])
}

/** Whether JavaScript orders the values as stores do. */
const isOrdered = (formula: CompiledMeasure['formula']): boolean =>
  formula !== undefined && formula.kind !== 'unknown' && formula.kind !== 'null'

function mostOf(rows: readonly Row[], fn: 'min' | 'max'): Value {
  let most: number | string | null = null
  for (const { value } of rows) {
    if (typeof value !== 'number' && typeof value !== 'string') continue
    if (most === null || (fn === 'min' ? value < most : value > most)) most = value
  }
  return most
}

/** The sums of slots; undefined where a double has not all digits of one. */
function sumsOf(rows: readonly Row[], scale: number): readonly number[] | undefined {
  const sums = rows.flatMap(({ value }) => (typeof value === 'number' ? [value] : []))
  return sums.every((sum) => isExact(sum, scale)) ? sums : undefined
}

const isExact = (sum: number, scale: number): boolean =>
  Math.abs(sum) * 10 ** scale <= MOST_UNITS && Number(sum.toFixed(scale)) === sum

function sumOf(rows: readonly Row[], scale: number): Value | undefined {
  const sums = sumsOf(rows, scale)
  return sums && exactSum(sums)
}

function averageOf(rows: readonly Row[], scale: number): Value | undefined {
  const sums = sumsOf(rows, scale)
  const count = rows.reduce((sum, row) => sum + Number(row['count']), 0)
  return sums && exactAverage(sums, count)
}
