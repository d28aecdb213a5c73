import { ACTIONS, type RuleAction } from '../definition.ts'

/** What the order of rules is decided by. */
export interface Ordered {
  readonly name: string
  readonly action: RuleAction
  readonly priority: number
  /** Names of the rules that come first. */
  readonly dependsOn: readonly string[]
}

/**
 * Rules in the order in which they are asked: those that reject, then those that warn, then those that log, each by
 * priority, then by their place in the text, and after those that they depend on, whatever the priorities. What depends on
 * each other in a circle is left out.
 */
export const inOrder = <R extends Ordered>(rules: readonly R[]): readonly R[] =>
  ACTIONS.flatMap((action) => ordered(rules.filter((rule) => rule.action === action)))

function ordered<R extends Ordered>(rules: readonly R[]): readonly R[] {
  const waiting = rules.toSorted((one, other) => one.priority - other.priority)
  const here = new Set(waiting.map(({ name }) => name))
  const done: R[] = []
  for (;;) {
    const next = waiting.findIndex(({ dependsOn }) => !dependsOn.some((name) => here.has(name)))
    const [rule] = next < 0 ? [] : waiting.splice(next, 1)
    if (rule === undefined) return done
    here.delete(rule.name)
    done.push(rule)
  }
}
