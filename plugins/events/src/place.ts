/**
 * A place in the order of commits. What was committed when a batch was made up stands in that batch or in an earlier one,
 * and what is committed later in a later one; within a batch it stands in the order of writing. For one record, and within
 * one commit, this is the order of the writes. A store that commits in the order of numbers (`ordered`) has all in one batch, and
 * none to make up.
 */
export interface Place {
  readonly batch: number
  readonly number: number
}

/** The batch of all that an ordered store keeps, behind those that were made up there before. */
export const ONE_BATCH = 1_000_000_000_000

/** Before all events. */
export const BEGINNING: Place = Object.freeze({ batch: 0, number: 0 })

/** A negative number where `a` stands before `b`, 0 where they are the same place. */
export const comparePlaces = (a: Place, b: Place): number => a.batch - b.batch || a.number - b.number
