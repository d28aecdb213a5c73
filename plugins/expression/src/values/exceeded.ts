let times = 0

/** Null in place of what takes more than LIMITS allow. */
export function exceeded(): null {
  times += 1
  return null
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
