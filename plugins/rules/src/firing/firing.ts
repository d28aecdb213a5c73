import type { Change } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Findings } from '../order/judge.ts'
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
  /** What its words are worked out with: the record as it would be stored, and what that leads to. */
  readonly context: EvaluationContext
}

const OUTCOME_OF = { reject: 'rejected', warn: 'warned', log: 'logged' } as const

/** What rules have found about a write, as it is told and kept. */
export function firingsOf(
  { fired, undecided }: Findings<Rule>,
  change: Change,
  context: EvaluationContext,
): readonly Firing[] {
  const isRefused = fired.some(({ action }) => action === 'reject')
  const make = (rule: Rule, outcome: Outcome): Firing => ({
    id: change.runtime.newId(),
    rule,
    outcome,
    change,
    isRefused,
    context,
  })
  return [
    ...undecided.map((rule) => make(rule, 'undecided')),
    ...fired.map((rule) => make(rule, OUTCOME_OF[rule.action])),
  ]
}
