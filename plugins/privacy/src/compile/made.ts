import { type Field, type Resource, sourcesOfField } from '@svc/domain/contract'
import type { PersonalField } from './personal.ts'

/** A computed field, which tells of the personal fields that it is made of, at any depth. */
export interface MadeField {
  readonly field: Field
  readonly of: readonly MadeOf[]
}

export interface MadeOf {
  readonly personal: PersonalField
  /** Whether it is a field of the same record, and not of one that is reached or looked up. */
  readonly isNear: boolean
}

/** The computed fields of a resource that are made of personal ones, whether they are marked themselves or not. */
export function madeFields(
  resource: Resource,
  personal: ReadonlyMap<Field, PersonalField>,
): readonly MadeField[] {
  if (personal.size === 0) return []
  return resource.computed.flatMap((field) => {
    const of = sourcesOfField(field, resource).flatMap((source) => {
      const known = personal.get(source.field)
      return known === undefined || isMade(known) ? [] : [{ personal: known, isNear: source.isNear }]
    })
    return of.length === 0 ? [] : [{ field, of }]
  })
}

/** Whether what a personal field holds is worked out: it has no value of its own to be replaced. */
export const isMade = ({ field }: Pick<PersonalField, 'field'>): boolean => field.computed !== undefined

/**
 * Whether a computed field tells of single records that it looks into. A number or a sum of many tells of nobody; the least and the
 * greatest of some values is one of them.
 */
export function tellsOfOne(field: Field, resource: Resource): boolean {
  const near = sourcesOfField(field, resource).filter(({ isNear }) => isNear)
  return [field, ...near.map((one) => one.field)].some(
    ({ computed }) =>
      computed !== undefined &&
      (computed.overridable ||
        computed.crossings.some(({ asks }) => asks.kind === 'lookup' || EXTREMES.has(asks.fn))),
  )
}

const EXTREMES: ReadonlySet<string> = new Set(['min', 'max'])
