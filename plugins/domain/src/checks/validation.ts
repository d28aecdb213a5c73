import { didYouMean } from '../definition/names.ts'
import { eachResource, pathOf } from './check.ts'

/** A validation rule is told at fields that are there. */
export const validation = eachResource((resource, report) => {
  const { validation: written = [] } = resource.definition
  const rules = Array.isArray(written) ? [...written.entries()] : Object.entries(written)
  for (const [key, rule] of rules) {
    if (typeof rule === 'string') continue
    rule.fields?.forEach((field, at) => {
      if (resource.fields.has(field)) return
      report.problem(
        pathOf(resource, 'validation', key, 'fields', at),
        `'${resource.name}' has no field '${field}'`,
        didYouMean(field, resource.fields.keys()),
      )
    })
  }
})
