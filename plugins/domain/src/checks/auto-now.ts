import { withArticle } from '../definition/names.ts'
import { TIMES } from '../model/assignment.ts'
import { eachResource, pathOf } from './check.ts'

/** The time of a write fits fields that hold times. */
export const autoNow = eachResource((resource, report) => {
  for (const { name, autoNow: when, compiled } of resource.fields.values()) {
    if (when === undefined || TIMES.includes(compiled.type.column)) continue
    report.problem(
      pathOf(resource, 'object', name, 'autoNow'),
      `${withArticle(compiled.type.name)} holds no time`,
      'Make it a datetime',
    )
  }
})
