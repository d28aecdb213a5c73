import type { Column, Related } from '@svc/store/contract'
import type { Vocabulary } from './vocabulary.ts'

/** A way from a record to others, described as data. */
export interface Relation {
  readonly name: string
  /** Whether it leads to a list of records, or to one at most. */
  readonly many: boolean
  /** The field of the record that it starts from: whoever goes this way reads that field too. */
  readonly near: string
  /** What may be said of the records that it leads to: their fields, relations, owner and states. */
  readonly vocabulary: Vocabulary
  /** How a store goes this way. */
  readonly join: Join
}

/** How a store goes from a row to related ones. */
export interface Join {
  /** The table that stands between the two, where there is one: related to the row, and `related` to it. */
  readonly between?: Related
  /** The rows that it leads to. */
  readonly related: Related
  /** The order of a list, by columns of the table that it leads to, which it leaves no two rows equal in. */
  readonly order: readonly { readonly column: Column; readonly descending: boolean }[]
  /** The columns of that table by the fields' names; a field without one cannot be asked of the store. */
  readonly columns: ReadonlyMap<string, Column>
}

/** What an expression asks of the records that a relation leads to. */
export interface Reached {
  readonly relation: Relation
  /** Their fields that it reads. */
  readonly fields: ReadonlySet<string>
  /** Where it goes on from them. */
  readonly reach: Reach
}

/** Where an expression goes from a record, by the relations' names. */
export type Reach = ReadonlyMap<string, Reached>

/** Where several expressions go from the same record. */
export function mergedReach(reaches: readonly Reach[]): Reach {
  const [first = NO_REACH, ...others] = reaches.filter(({ size }) => size > 0)
  if (others.length === 0) return first
  const merged = new Map<string, Reached>()
  for (const reach of [first, ...others]) {
    for (const [name, reached] of reach) {
      const known = merged.get(name)
      merged.set(name, known === undefined ? reached : both(known, reached))
    }
  }
  return merged
}

const both = (one: Reached, other: Reached): Reached => ({
  relation: one.relation,
  fields: new Set([...one.fields, ...other.fields]),
  reach: mergedReach([one.reach, other.reach]),
})

/** Where an expression goes that stays with its record. */
export const NO_REACH: Reach = new Map()
