import { shared } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { LIMITS } from '../limits.ts'

interface Evaluating {
  /** How often LIMITS have kept something from being worked out. */
  times: number
  /** What the evaluation that goes on has looked at so far, in UTF-16 units; undefined while none does. */
  spent: number | undefined
}

const evaluating = shared('expression.evaluating', (): Evaluating => ({ times: 0, spent: undefined }))

/** Null in place of what takes more than LIMITS allow. */
export function exceeded(): null {
  evaluating.times += 1
  return null
}

/** Whether the evaluation that goes on may look at so many units more. */
export function affords(units: number): boolean {
  if (evaluating.spent === undefined) return true
  evaluating.spent += units
  return evaluating.spent <= LIMITS.work
}

/** Whether it may look at these values once more. */
export function affordsAll(values: readonly Value[]): boolean {
  let units = 0
  for (const value of values) {
    if (typeof value === 'string') units += value.length
    else if (Array.isArray(value)) units += unitsIn(value)
  }
  return units === 0 || affords(units)
}

function unitsIn(list: readonly Value[]): number {
  let units = list.length
  for (const value of list) if (typeof value === 'string') units += value.length
  return units
}

/** Evaluates with what one evaluation may spend; evaluations inside of it have their own. */
export function evaluated<T>(evaluate: (context: T) => Value, context: T): Value {
  const before = evaluating.spent
  evaluating.spent = 0
  try {
    return evaluate(context)
  } finally {
    evaluating.spent = before
  }
}

/**
 * What `work` answers at once, and whether LIMITS have kept a part of it from being worked out: a null may then stand for
 * anything.
 */
export function withinLimits<T>(work: () => T): { readonly value: T; readonly isWithin: boolean } {
  const before = evaluating.times
  const value = work()
  return { value, isWithin: evaluating.times === before }
}
