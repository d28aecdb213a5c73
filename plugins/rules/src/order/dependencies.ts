import type { Path, Site } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import { ACTIONS } from '../definition.ts'
import type { Ordered } from './order.ts'

/** A rule as far as its dependencies are judged. */
export interface Depending extends Ordered {
  /** The name of the resource that it looks at. */
  readonly resource: string
}

/** Reports what is wrong with what rules depend on; answers whether all of it is right. */
export function checkDependencies(
  rules: ReadonlyMap<string, Depending>,
  pathOf: (rule: string, at: number) => Path,
  site: Pick<Site, 'problem'>,
): boolean {
  let isRight = true
  const report = (path: Path, message: string, hint?: string) => {
    isRight = false
    site.problem(path, message, hint)
  }
  for (const rule of rules.values())
    for (const [at, name] of rule.dependsOn.entries()) {
      const fault = faultOf(rule, name, rules)
      if (fault !== undefined) report(pathOf(rule.name, at), ...fault)
    }
  for (const circle of circlesOf(rules)) {
    const [first = ''] = circle
    const way = [...circle, first].map((name) => `'${name}'`).join(' on ')
    report(pathOf(first, 0), `rules depend on each other in a circle: ${way}`, 'Take one of them away')
  }
  return isRight
}

type Fault = readonly [message: string, hint?: string | undefined]

function faultOf(rule: Depending, name: string, rules: ReadonlyMap<string, Depending>): Fault | undefined {
  const other = rules.get(name)
  if (other === undefined) {
    const meant = nearest(name, rules.keys())
    return [`there is no rule '${name}'`, meant === undefined ? undefined : `Did you mean '${meant}'?`]
  }
  if (other.resource !== rule.resource)
    return [`'${name}' looks at '${other.resource}': a rule depends on rules of its own resource`]
  if (ACTIONS.indexOf(other.action) <= ACTIONS.indexOf(rule.action)) return undefined
  return [
    `'${name}' is asked later: a rule that says ${rule.action} cannot depend on one that says ${other.action}`,
  ]
}

/** Every circle once, by the names on its way. */
function circlesOf(rules: ReadonlyMap<string, Depending>): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = []
  const done = new Set<string>()
  const way: string[] = []
  const follow = (name: string): void => {
    const begun = way.indexOf(name)
    if (begun >= 0) return void circles.push(way.slice(begun))
    if (done.has(name)) return
    way.push(name)
    for (const next of rules.get(name)?.dependsOn ?? []) follow(next)
    way.pop()
    done.add(name)
  }
  for (const name of rules.keys()) follow(name)
  return circles
}
