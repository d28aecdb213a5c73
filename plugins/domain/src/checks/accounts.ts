import { withArticle } from '../definition/names.ts'
import { holdsAccount } from '../model/owner.ts'
import { eachResource, pathOf } from './check.ts'

const STAMPS = ['createdById', 'updatedById'] as const

/** The fields that the service fills with the id of an account can hold one. */
export const accounts = eachResource((resource, report) => {
  for (const name of STAMPS) {
    const field = resource.fields.get(name)
    if (field === undefined || holdsAccount(field)) continue
    report.problem(
      pathOf(resource, 'object', name),
      `the service keeps the id of an account here, and '${name}' is ${withArticle(field.compiled.type.name)}`,
      'Make it a uuid',
    )
  }
})
