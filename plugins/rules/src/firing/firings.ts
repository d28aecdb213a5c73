import { triggerVariables } from '@svc/automation/contract'
import { type Change, factsOf, type Writes } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { ANONYMOUS, type Caller, SYSTEM } from '@svc/kernel'
import type { Findings } from '../order/judge.ts'
import type { Rule } from '../rule.ts'
import type { Firing, Outcome } from './firing.ts'

const OUTCOME_OF = { reject: 'rejected', warn: 'warned', log: 'logged' } as const

/** What rules have found about a write, with what each of them says, and to whom. */
export async function firingsOf(
  { fired, undecided }: Findings<Rule>,
  change: Change,
  context: EvaluationContext,
  writes: Writes,
): Promise<readonly Firing[]> {
  const isRefused = fired.some(({ action }) => action === 'reject')
  const facts = { ...factsOf(change), variables: triggerVariables(change) }
  const make = async (rule: Rule, outcome: Outcome): Promise<Firing> => {
    const { localizer } = rule.resource
    const locale = localizer.locale(change.acceptLanguage)
    const told = await rule.words.tell(facts, audienceOf(change), locale, writes)
    const whole = await rule.words.tell(facts, SYSTEM, localizer.locale(), writes)
    return { id: change.runtime.newId(), rule, outcome, change, isRefused, facts, context, told, whole }
  }
  const firings: Firing[] = []
  for (const rule of undecided) firings.push(await make(rule, 'undecided'))
  for (const rule of fired) firings.push(await make(rule, OUTCOME_OF[rule.action]))
  return firings
}

/** Whoever hears the answer. What the system is told ends up in ledgers, and nobody knows who reads these. */
const audienceOf = ({ asker }: Change): Caller => (asker.kind === 'system' ? ANONYMOUS : asker)
