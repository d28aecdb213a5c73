import { MAX_BRANCHES } from '../definition/step.ts'
import { nextFrom, type StepPlace } from './place.ts'
import { speechOf } from './speech.ts'
import type { DecideStep } from './step.ts'

/** Compiles a step that chooses where to go on; undefined where something is wrong with it, which is reported. */
export function decideStep(place: StepPlace): Omit<DecideStep, 'reads' | 'shapes'> | undefined {
  const { draft, path, scope, site } = place
  const written = draft.written.decide ?? []
  const at = [...path, 'decide']
  if (written.length === 0) site.problem(at, 'is empty', 'Add a branch')
  if (written.length > MAX_BRANCHES) site.problem(at, `has more than ${MAX_BRANCHES} branches`)
  const defaults = written.filter((branch) => branch.default === true)
  if (defaults.length > 1) site.problem(at, 'has two defaults', 'Keep one of them')
  const branches = written.flatMap((branch, index) => {
    if (branch.default === true) {
      if (branch.condition !== undefined)
        site.problem([...at, index, 'condition'], "means nothing beside 'default'", 'Keep one of them')
      return []
    }
    if (branch.condition === undefined) {
      site.problem([...at, index], "has neither 'condition' nor 'default'", 'Say when it is taken')
      return []
    }
    const speech = { ...speechOf(scope), kind: 'boolean' as const }
    const condition = site.expression(branch.condition, [...at, index, 'condition'], speech)
    return condition === undefined ? [] : [{ condition, next: nextFrom(place, branch.then) }]
  })
  if (branches.length + defaults.length < written.length) return undefined
  const [fallback] = defaults
  return {
    kind: 'decide',
    name: draft.name,
    next: undefined,
    resource: scope.resource,
    isItem: scope.isItem,
    expressions: branches.map(({ condition }) => condition),
    branches,
    fallback: fallback && { next: nextFrom(place, fallback.then) },
  }
}
