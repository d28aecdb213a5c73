import { didYouMean, withArticle } from '../definition/names.ts'
import { holdsAccount, isForeign, ownerCandidates } from '../model/owner.ts'
import { eachResource, pathOf } from './check.ts'

/** The owner of records is one field that can hold the id of an account, and no author has to guess which. */
export const owner = eachResource((resource, report) => {
  const { name, fields, definition } = resource
  const at = pathOf(resource, 'owner')
  if (definition.owner === undefined) {
    const [first, ...others] = ownerCandidates(resource)
    if (first === undefined || others.length === 0) return
    const could = others.map((one) => `'${one}'`).join(', ')
    return report.warning(
      pathOf(resource),
      `'${first}' says whose a record is, and ${could} could as well`,
      `Write 'owner: ${first}', or the field that you mean`,
    )
  }
  const field = fields.get(definition.owner)
  if (field === undefined)
    report.problem(
      at,
      `'${name}' has no field '${definition.owner}'`,
      didYouMean(definition.owner, fields.keys()),
    )
  else if (field.computed !== undefined)
    report.problem(at, `'${field.name}' is worked out: the owner of a record is kept in a field of its own`)
  else if (isForeign(field.name, resource))
    report.problem(at, `'${field.name}' is the key of something else than a User`, 'Name a key of an account')
  else if (!holdsAccount(field))
    report.problem(
      at,
      `the owner is an account, and '${field.name}' is ${withArticle(field.compiled.type.name)}`,
      'Make it a uuid',
    )
})
