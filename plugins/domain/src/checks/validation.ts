import { doubledFaults } from '@svc/expression/contract'
import { didYouMean } from '../definition/names.ts'
import { eachResource, pathOf } from './check.ts'

/** A validation rule is told at fields that are there, and its message fills what it means to fill. */
export const validation = eachResource((resource, report) => {
  const { validation: written = [] } = resource.definition
  const rules = Array.isArray(written) ? [...written.entries()] : Object.entries(written)
  for (const [key, rule] of rules) {
    if (typeof rule === 'string') continue
    const { message = '' } = rule
    const texts = typeof message === 'string' ? [message] : Object.values(message)
    const [doubled] = texts.flatMap((text) => doubledFaults(text, (name) => MESSAGE_NAMES.includes(name)))
    if (doubled !== undefined)
      report.warning(pathOf(resource, 'validation', key, 'message'), doubled.message, doubled.hint)
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

/** What a message may name. */
const MESSAGE_NAMES = ['label', 'field']
