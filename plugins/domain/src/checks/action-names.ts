import { isForbiddenKey } from '../definition/names.ts'
import { eachResource } from './check.ts'
import { offersOf } from './offers.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/

/** Operations, transitions and relationships are called by name, so each has a name of its own. */
export const actionNames = eachResource((resource, report, model) => {
  for (const { name, definedAt } of resource.api.customOperations) {
    if (NAME.test(name) && !isForbiddenKey(name)) continue
    report.problem(
      definedAt,
      `'${name}' is no name for an operation`,
      'Write a letter, then up to 62 letters, digits, hyphens and underscores',
    )
  }
  const taken = new Map<string, string>()
  for (const { action, what, at } of offersOf(resource, model)) {
    const other = taken.get(action)
    if (other !== undefined) report.problem(at, `${what} has the name of ${other}`, 'Rename one of them')
    else taken.set(action, what)
  }
})
