import type { Node } from '../syntax/ast.ts'
import type { FoundCrossing } from '../crossing/crossing.ts'
import type { Fault } from '../fault.ts'
import type { Kind, Origin, Shape } from '../values/kind.ts'
import type { Reach, Relation } from '../relation.ts'
import type { Vocabulary } from '../vocabulary.ts'

/** What is known of an expression in a place before it runs. */
export interface Checked {
  /** What is inside of its values, where that is known. */
  readonly shape: Shape | undefined
  readonly faults: readonly Fault[]
  /** Names of the record's fields that it reads, of the record as it is or as it was. */
  readonly fields: ReadonlySet<string>
  /** Names of the fields that it reads of the record as it was, which are among `fields` too. */
  readonly previousFields: ReadonlySet<string>
  /** Names of the members that it reads of values at hand, by the source of their shape. */
  readonly members: ReadonlyMap<object, ReadonlySet<string>>
  /** What values at hand were made of that it reads. */
  readonly origins: readonly Origin[]
  /** Which related records it reads, and what of them. */
  readonly reach: Reach
  /** The same of the record as it was. */
  readonly previousReach: Reach
  /** What it looks up in records of any resource, or makes of them: each after those that stand in it. */
  readonly crossings: readonly FoundCrossing[]
  /** The kind of each node. */
  readonly kinds: ReadonlyMap<Node, Kind>
}

/** A record that names speak of, and what is read of it. */
export interface Scope {
  readonly vocabulary: Vocabulary
  readonly fields: Set<string>
  readonly reach: Map<string, Reaching>
  readonly previousReach: Map<string, Reaching>
  /** How many relations lead here. */
  readonly steps: number
}

/** What is read at the end of a relation. */
export interface Reaching {
  readonly relation: Relation
  readonly fields: Set<string>
  readonly reach: Map<string, Reaching>
}

/** Where a way ends, and how many relations lead there from the first record. */
export interface Place {
  readonly reaching: Reaching
  readonly steps: number
}
