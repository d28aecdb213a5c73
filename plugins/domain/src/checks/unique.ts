import { withArticle } from '../definition/names.ts'
import { eachResource, pathOf } from './check.ts'

/** What is kept unique can be compared at a glance, and looked up. */
export const unique = eachResource((resource, report) => {
  for (const { name, unique: asked, compiled } of resource.fields.values()) {
    const { column, readable, name: type } = compiled.type
    if (!asked || (column !== 'json' && readable)) continue
    report.problem(
      pathOf(resource, 'object', name, 'unique'),
      `${withArticle(type)} cannot be unique`,
      'Keep what tells records apart in a field of its own',
    )
  }
})
