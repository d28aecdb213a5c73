import { withArticle } from '../definition/names.ts'
import { TIMES } from '../model/assignment.ts'
import type { Field } from '../model/field.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { eachResource, pathOf } from './check.ts'

/** The time of a write fits fields that hold times, and is expected in fields that are named after it. */
export const autoNow = eachResource((resource, report) => {
  for (const field of resource.fields.values()) {
    const { name, autoNow: when, compiled, standsIn } = field
    if (standsIn) continue
    if (when === undefined) doubtStamp(field, resource, report)
    if (when === undefined || TIMES.includes(compiled.type.column)) continue
    report.problem(
      pathOf(resource, 'object', name, 'autoNow'),
      `${withArticle(compiled.type.name)} holds no time`,
      'Make it a datetime',
    )
  }
})

/** Which writes are told by fields of these names, where they are datetimes. */
const STAMPS: ReadonlyMap<string, string> = new Map([
  ['createdAt', 'create'],
  ['updatedAt', 'update'],
])

/** Whoever names a field so hardly means to send its value with every write. */
function doubtStamp({ name, compiled, computed }: Field, resource: Resource, report: Report): void {
  const when = STAMPS.get(name)
  const { column, name: type } = compiled.type
  if (when === undefined || column === 'datetime' || computed !== undefined) return
  report.warning(
    pathOf(resource, 'object', name),
    `the service sets '${name}' where it is a datetime, and leaves ${withArticle(type)} to clients`,
    TIMES.includes(column) ? `Make it a datetime, or write autoNow: ${when}` : 'Make it a datetime',
  )
}
