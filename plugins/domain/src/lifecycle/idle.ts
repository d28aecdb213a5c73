import type { Logger } from '@svc/kernel'
import { pathText, type Problem } from '../definition/problem.ts'
import { sentenceOf } from './parse-error.ts'
import type { ReadModel } from './read-model.ts'

/** How many of a kind one line of the log names. */
const NAMED = 5

/**
 * Logs what means nothing in a definition, one line for each kind: everything of it is in the answer of a submit, and
 * in what `svc validate` prints. `about` says which definition.
 */
export function tellIdle({ unknown, idle }: ReadModel, about: object, log: Logger): void {
  if (unknown.length > 0) {
    const what = unknown.length === 1 ? 'key is' : 'keys are'
    // What was misspelt is of more use than what no plugin is there for.
    const misspeltFirst = unknown.toSorted(
      (a, b) => Number(a.hint === undefined) - Number(b.hint === undefined),
    )
    const message = `${unknown.length} ${what} not used by any loaded plugin: ${listed(misspeltFirst, keyOf)}`
    log.warn({ ...about, message }, 'domain.keys_unused')
  }
  if (idle.length > 0) log.warn({ ...about, message: listed(idle, sentenceOf, '; ') }, 'domain.no_effect')
}

function listed(problems: readonly Problem[], shown: (one: Problem) => string, between = ', '): string {
  const others = problems.length - NAMED
  const named = problems.slice(0, NAMED).map(shown)
  return [...named, ...(others > 0 ? [`and ${others} more ('svc validate' names them all)`] : [])].join(
    between,
  )
}

const keyOf = ({ path, hint }: Problem): string =>
  `${pathText(path)}${hint === undefined ? '' : ` (${hint})`}`
