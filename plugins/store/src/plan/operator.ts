import type { StoreFeature } from './feature.ts'

/** A place in a piece of SQL for one of the columns, or for one of the values, that it is about. */
export type Place = { readonly column: number } | { readonly value: number }

/** A piece of SQL: what stands before, between and after its places. `fragment` makes it. */
export interface Fragment {
  readonly texts: readonly string[]
  readonly places: readonly Place[]
}

/** A piece of SQL for the stores that have a feature; for all of them unless it names one. */
export interface Writing {
  readonly needs?: StoreFeature
  readonly sql: Fragment
}

/** A comparison that a plugin brings. */
export interface Operator {
  readonly name: string
  /** True for the rows that are meant, false or null for the others. The first that a store has the feature for counts. */
  readonly writings: readonly Writing[]
}

/**
 * SQL with places: fragment`${columnAt(0)} <@ ${valueAt(0)}::box`. Its words stand in the source of a
 * plugin; whatever comes from elsewhere is a value, which is bound.
 */
export function fragment(texts: TemplateStringsArray, ...places: readonly Place[]): Fragment {
  if (!Object.isFrozen(texts) || !Array.isArray(texts.raw)) {
    throw new Error('a fragment is written as a template: what comes from elsewhere is no SQL')
  }
  if (texts.some((text) => text === undefined)) {
    throw new Error('a fragment has a backslash that JavaScript makes nothing of: it is written twice')
  }
  return Object.freeze({ texts: Object.freeze([...texts]), places: Object.freeze(places) })
}

/** The place of the column of this number, from 0 on. */
export const columnAt = (number: number): Place => Object.freeze({ column: number })
/** The place of the value of this number, from 0 on. */
export const valueAt = (number: number): Place => Object.freeze({ value: number })
