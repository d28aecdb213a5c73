import type { RuleAction } from '../definition.ts'

/** What came of a condition: null is neither met nor unmet, and `failed` could not be worked out at all. */
export type Answer = boolean | null | 'failed'

/** A rule as far as its turn is decided. */
export interface Judged {
  readonly name: string
  readonly action: RuleAction
  readonly dependsOn: readonly string[]
}

/** What rules have found about one write. */
export interface Findings<R> {
  /** The rules that have fired, in their order; where the first one rejects it is the only one. */
  readonly fired: readonly R[]
  /** Rules that would reject, and of which nobody can say whether they should. */
  readonly undecided: readonly R[]
}

/**
 * Asks the rules that a write concerns, in their order. One that rejects ends it; one that depends on others is asked only
 * if none of these has fired. What cannot be worked out fires where the rule rejects.
 */
export function judge<R extends Judged>(rules: readonly R[], ask: (rule: R) => Answer): Findings<R> {
  const fired: R[] = []
  const undecided: R[] = []
  const names = new Set<string>()
  for (const rule of rules) {
    if (rule.dependsOn.some((name) => names.has(name))) continue
    const answer = ask(rule)
    const rejects = rule.action === 'reject'
    if (answer === true || (answer === 'failed' && rejects)) {
      if (rejects) return { fired: [rule], undecided }
      fired.push(rule)
      names.add(rule.name)
    } else if (answer === null && rejects) undecided.push(rule)
  }
  return { fired, undecided }
}
