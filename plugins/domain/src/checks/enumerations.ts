import { nameFault } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import { pathOf } from './check.ts'

/** An enumeration lists each value once, and has at least one. */
export function enumerations({ definition, resources }: Model, report: Report): void {
  for (const [name, { values }] of Object.entries(definition.enums ?? {})) {
    const at = ['domain', 'enums', name, 'values']
    if (Array.isArray(values)) checkListed(values, at, report)
    else if (Object.keys(values).length === 0) report.problem(at, 'an enumeration has at least one value')
  }
  for (const resource of resources.values()) {
    for (const { name, definition: field } of resource.fields.values()) {
      if (Array.isArray(field.enum)) checkListed(field.enum, pathOf(resource, 'object', name, 'enum'), report)
    }
  }
}

function checkListed(values: readonly string[], at: Path, report: Report): void {
  values.forEach((value, index) => {
    const fault = nameFault(value, 'a value')
    if (fault) report.problem([...at, index], fault.message, fault.hint)
    if (values.indexOf(value) !== index) report.problem([...at, index], `'${value}' is listed twice`)
  })
}
