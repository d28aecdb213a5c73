import { triggerVariables } from '@svc/automation/contract'
import { type Change, evaluationOf, type Expression, type Writes } from '@svc/domain/contract'
import { type EvaluationContext, withinLimits } from '@svc/expression/contract'
import { type Answer, type Findings, judge } from '../order/judge.ts'
import type { Rule } from '../rule.ts'

/**
 * Asks the rules that a write concerns. Conditions of triggers are answered first, all in one context, and then those of
 * the rules that are left in another: related records are looked up for what is asked alone.
 */
export async function askRules(
  rules: readonly Rule[],
  change: Change,
  writes: Writes,
): Promise<Findings<Rule>> {
  const asked = await triggered(rules, change, writes)
  if (asked.length === 0) return NOTHING
  const context = await contextOf(
    change,
    asked.map(({ condition }) => condition),
    writes,
  )
  return judge(asked, (rule) => answerOf(rule.condition, context, rule, change))
}

const NOTHING: Findings<never> = { fired: [], undecided: [] }

/** The rules whose trigger has no condition, or one that is met. Where that cannot be said, those that reject are asked. */
async function triggered(rules: readonly Rule[], change: Change, writes: Writes): Promise<readonly Rule[]> {
  const conditions = rules.flatMap(({ trigger }) => trigger.condition ?? [])
  if (conditions.length === 0) return rules
  const context = await contextOf(change, conditions, writes)
  return rules.filter((rule) => {
    const { condition } = rule.trigger
    if (condition === undefined) return true
    const answer = answerOf(condition, context, rule, change)
    return answer === true || (answer === 'failed' && rule.action === 'reject')
  })
}

/** What expressions of a rule are evaluated with; at once where they reach no other record. */
export function contextOf(
  change: Change,
  expressions: readonly Expression[],
  writes: Writes,
): EvaluationContext | Promise<EvaluationContext> {
  const context = evaluationOf(change, expressions, writes)
  const variables = triggerVariables(change)
  return context instanceof Promise
    ? context.then((found) => ({ ...found, variables }))
    : { ...context, variables }
}

/** A null that stands for what LIMITS or a function of a plugin kept from being worked out is no null. */
function answerOf(condition: Expression, context: EvaluationContext, { name }: Rule, change: Change): Answer {
  try {
    const { value, isWithin } = withinLimits(() => condition.evaluate(context))
    if (value === null) return isWithin ? null : 'failed'
    return value === true
  } catch (err) {
    const { domain, requestId, runtime } = change
    runtime.log.warn({ err, domain, rule: name, requestId }, 'rules.condition_failed')
    return 'failed'
  }
}
