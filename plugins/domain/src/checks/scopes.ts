import { eachResource, pathOf } from './check.ts'

/** A list takes one scope where the caller names none. */
export const scopes = eachResource((resource, report) => {
  const defaults = Object.entries(resource.definition.scopes ?? {}).filter(([, scope]) => scope.default)
  for (const [name] of defaults.slice(1)) {
    report.problem(
      pathOf(resource, 'scopes', name, 'default'),
      `'${defaults[0]![0]}' is the default scope already`,
      'Keep one default',
    )
  }
})
