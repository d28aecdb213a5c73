import type { Path, Site } from '@svc/domain/contract'

/** The name of a rule, a workflow, a schedule, or a step. */
export const AUTOMATION_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/

/** What none of them may be called, since its addresses are taken. */
const TAKEN: readonly string[] = ['log', 'instances', 'firings']

/** What no step may be called: `end` is where a workflow ends. */
export const TAKEN_BY_STEPS: readonly string[] = [...TAKEN, 'end']

const SHAPE_HINT = 'Write a letter, then up to 62 letters, digits, hyphens and underscores'

/** Reports what is wrong with the name of `what` ('a rule'), which stands at `path`; answers whether it may be used. */
export function checkAutomationName(
  name: string,
  path: Path,
  site: Pick<Site, 'problem'>,
  what: string,
  taken: readonly string[] = TAKEN,
): boolean {
  if (!AUTOMATION_NAME.test(name)) {
    site.problem(path, `'${short(name)}' is no name for ${what}`, SHAPE_HINT)
    return false
  }
  if (!taken.includes(name)) return true
  site.problem(path, `'${name}' is taken: ${what} cannot be called so`, 'Choose another name')
  return false
}

const short = (name: string): string => (name.length > 60 ? `${name.slice(0, 59)}…` : name)
