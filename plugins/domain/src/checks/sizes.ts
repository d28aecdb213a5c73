import { MAX_FIELDS } from '../definition/limits.ts'
import { eachResource, pathOf } from './check.ts'

/** A table has an end: the keys of relationships and stored formulas are columns too. */
export const sizes = eachResource((resource, report) => {
  if (resource.table.columns.length <= MAX_FIELDS + 1) return
  report.problem(pathOf(resource), `a resource has ${MAX_FIELDS} stored fields at most`, 'Make two resources')
})
