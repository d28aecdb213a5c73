import { withArticle } from '../definition/names.ts'
import type { ComputedField } from '../model/field.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { eachResource, pathOf } from './check.ts'

/** Attributes that speak of a value that somebody sends. */
const OF_SENT_VALUES = ['required', 'default', 'immutable', 'autoNow'] as const

/** A field that is worked out is no key, and what speaks of a client's value means nothing to it. */
export const computed = eachResource((resource, report) => {
  for (const field of resource.computed) {
    const at = placeOf(resource, field)
    if (field.primaryKey)
      report.problem([...at, 'primaryKey'], 'a key is not worked out', 'Drop one of the two')
    if (field.unique && field.column === undefined)
      report.problem(
        [...at, 'unique'],
        `'${field.name}' is worked out on every read and cannot be kept unique`,
        'Store it: stored: true',
      )
    refuseType(field, at, report)
    for (const name of OF_SENT_VALUES) {
      if (field.definition[name] !== undefined)
        report.warning([...at, name], `'${name}' means nothing for a field that is worked out`)
    }
  }
})

function refuseType({ compiled, name }: ComputedField, at: readonly (string | number)[], report: Report) {
  const { type } = compiled
  if (!type.generated && type.readable && type.make === undefined) return
  report.problem(
    [...at, 'type'],
    `'${name}' is worked out, and ${withArticle(type.name)} is made by the service`,
  )
}

function placeOf(resource: Resource, { name }: ComputedField) {
  const block = Object.hasOwn(resource.definition.object, name) ? 'object' : 'computed'
  return pathOf(resource, block, name)
}
