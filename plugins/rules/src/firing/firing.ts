import type { Change, Facts, Told } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Rule } from '../rule.ts'

/** What came of a rule that was asked: it refused, warned or logged, or nobody can say whether it should refuse. */
export const OUTCOMES = ['rejected', 'warned', 'logged', 'undecided'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A rule that has something to say of a write. */
export interface Firing {
  /** The id of its entry in the log. */
  readonly id: string
  readonly rule: Rule
  readonly outcome: Outcome
  readonly change: Change
  /** Whether the write was refused, be it by this rule or by another. */
  readonly isRefused: boolean
  /** What its words speak of: the record as it would be stored. */
  readonly facts: Facts
  /** What its notification is worked out with: the same, and what that leads to. */
  readonly context: EvaluationContext
  /** Its words for whoever asked for the write. */
  readonly told: Told
  /** Its words in full, for the bus. */
  readonly whole: Told
}
