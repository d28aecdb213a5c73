import { PERMISSIONS } from '../query/include.ts'
import { eachResource, pathOf } from './check.ts'

/** Names that differ in case alone are one name to a database; a relationship and a field share one answer. */
export const names = eachResource((resource, report) => {
  if (resource.fields.has(PERMISSIONS))
    report.problem(
      pathOf(resource, 'object', PERMISSIONS),
      `'${PERMISSIONS}' is what answers call the permissions of a record`,
      'Rename the field',
    )
  const seen = new Map<string, string>()
  for (const { name } of resource.fields.values()) {
    const other = seen.get(name.toLowerCase())
    if (other !== undefined)
      report.problem(
        pathOf(resource, 'object', name),
        `'${name}' and '${other}' differ in case alone`,
        'Rename one of them',
      )
    seen.set(name.toLowerCase(), name)
  }
  for (const name of resource.relationships.keys()) {
    if (!resource.fields.has(name)) continue
    report.problem(
      pathOf(resource, 'relationships', name),
      `'${resource.name}' has a field of this name too`,
      `Rename the relationship, or the field to ${name}Id`,
    )
  }
})
