import { triggerVariables } from '@svc/automation/contract'
import {
  type Change,
  evaluationAlone,
  evaluationOf,
  type Expression,
  type Restricted,
  type Writes,
} from '@svc/domain/contract'
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
  const near = askNear(rules, change)
  if (near !== undefined) return near
  const asked = await triggered(rules, change, writes)
  if (asked.length === 0) return NOTHING
  const context = await contextOf(
    change,
    asked.map(({ condition }) => condition),
    writes,
  )
  return judge(asked, (rule) => answerOf(rule.condition, context, rule, change))
}

/** The same at once, where no condition reaches a related record; undefined where one does. */
export function askNear(rules: readonly Rule[], change: Change): Findings<Rule> | undefined {
  if (!rules.every(({ isNear }) => isNear)) return undefined
  const context = { ...evaluationAlone(change), variables: triggerVariables(change) }
  return judge(rules, (rule) => {
    const { condition } = rule.trigger
    const isAsked = condition === undefined || isMet(answerOf(condition, context, rule, change), rule)
    return isAsked && answerOf(rule.condition, context, rule, change)
  })
}

const NOTHING: Findings<never> = { fired: [], undecided: [] }

/** The rules whose trigger has no condition, or one that is met. */
async function triggered(rules: readonly Rule[], change: Change, writes: Writes): Promise<readonly Rule[]> {
  const conditions = rules.flatMap(({ trigger }) => trigger.condition ?? [])
  if (conditions.length === 0) return rules
  const context = await contextOf(change, conditions, writes)
  return rules.filter((rule) => {
    const { condition } = rule.trigger
    return condition === undefined || isMet(answerOf(condition, context, rule, change), rule)
  })
}

/** Whether a condition of a trigger has a rule asked; where that cannot be said, one that rejects is. */
const isMet = (answer: Answer, { action }: Rule): boolean =>
  answer === true || (answer === 'failed' && action === 'reject')

/**
 * What expressions of a rule are evaluated with; at once where they reach no other record. Related records are left out that blocks
 * keep from what is `done` with them.
 */
export function contextOf(
  change: Change,
  expressions: readonly Expression[],
  writes: Writes,
  done: readonly Restricted[] = [],
): EvaluationContext | Promise<EvaluationContext> {
  const context = evaluationOf(change, expressions, writes, done)
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
