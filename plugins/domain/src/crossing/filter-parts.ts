import { type Filter, type FilterParts, type Node, partsOf, turned } from '@svc/expression/contract'

interface Taken extends FilterParts {
  /** The whole of it, by bare names of the record of the formula. */
  readonly turned: Node
}

const kept = new WeakMap<Filter, Taken>()

/** A filter taken apart, once. */
export function takenApart(filter: Filter): Taken {
  const known = kept.get(filter)
  if (known !== undefined) return known
  const made = { ...partsOf(filter.ast), turned: turned(filter.ast) }
  kept.set(filter, made)
  return made
}
