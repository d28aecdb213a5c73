import type { Value } from '@svc/store/contract'
import { LIMITS } from '../limits.ts'

let times = 0
/** What the evaluation that goes on has looked at so far, in UTF-16 units; undefined while none does. */
let spent: number | undefined

/** Null in place of what takes more than LIMITS allow. */
export function exceeded(): null {
  times += 1
  return null
}

/** Whether the evaluation that goes on may look at so many units more. */
export function affords(units: number): boolean {
  if (spent === undefined) return true
  spent += units
  return spent <= LIMITS.work
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
  const before = spent
  spent = 0
  try {
    return evaluate(context)
  } finally {
    spent = before
  }
}

/**
 * What `work` answers at once, and whether LIMITS have kept a part of it from being worked out: a null may then stand for
 * anything.
 */
export function withinLimits<T>(work: () => T): { readonly value: T; readonly isWithin: boolean } {
  const before = times
  const value = work()
  return { value, isWithin: times === before }
}
