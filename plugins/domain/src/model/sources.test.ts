import { expect, it } from 'vitest'
import { createFieldTypes } from '../fields/index.ts'
import { buildModel } from './model.ts'
import { createReport } from './report.ts'
import { sourcesOfField } from './sources.ts'

const SHEETS = 20
const FORMULAS = 40

/** Sheets of formulas, in place of each of which a record may have one of its own, which looks into all of them. */
function sheets() {
  const fields = Array.from({ length: FORMULAS }, (_, at) => `given${at}`)
  const sheet = {
    mode: 'sheet' as const,
    computedFields: { crossRecord: true, reactive: true, overridable: true },
    object: Object.fromEntries(fields.map((name) => [name, 'integer'])),
    computed: Object.fromEntries(
      fields.map((name) => [`after_${name}`, { type: 'integer', expression: `${name} + 1`, stored: true }]),
    ),
  }
  const resources = Object.fromEntries(Array.from({ length: SHEETS }, (_, at) => [`Sheet${at}`, sheet]))
  const report = createReport()
  const model = buildModel(
    { name: 'sheets', version: '1', resources },
    { types: createFieldTypes(), checksum: () => '', report },
  )
  expect(report.problems).toEqual([])
  return model.resources
}

it('what may be made of anything is found once, however many formulas may be', () => {
  const resources = sheets()
  for (const resource of resources.values())
    for (const field of resource.computed) {
      const sources = sourcesOfField(field, resource)
      const near = new Set(sources.flatMap((one) => (one.isNear ? [one.field.name] : [])))
      const far = new Set(
        sources.flatMap((one) => (one.isNear ? [] : [`${one.resource.name} ${one.field.name}`])),
      )
      expect(near.has(field.name)).toBe(false)
      expect(near.size).toBeGreaterThanOrEqual(2 * FORMULAS - 1)
      expect(far.size).toBeGreaterThanOrEqual(SHEETS * 2 * FORMULAS - 1)
    }
})
