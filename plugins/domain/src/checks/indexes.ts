import type { Path } from '../definition/problem.ts'
import { didYouMean, withArticle } from '../definition/names.ts'
import type { Field } from '../model/field.ts'
import type { Report } from '../model/report.ts'
import { eachResource, pathOf } from './check.ts'

/** An index covers stored fields of its resource, each of them once, and has a name of its own. */
export const indexes = eachResource((resource, report) => {
  const written = resource.definition.indexes ?? []
  written.forEach(({ fields, name }, at) => {
    if (name !== undefined && written.findIndex((one) => one.name === name) !== at)
      report.problem(pathOf(resource, 'indexes', at, 'name'), `another index is called '${name}'`)
    fields.forEach((one, position) => {
      const path = pathOf(resource, 'indexes', at, 'fields', position)
      const field = resource.fields.get(one)
      if (field === undefined)
        report.problem(
          path,
          `'${resource.name}' has no field '${one}'`,
          didYouMean(one, resource.fields.keys()),
        )
      else if (fields.indexOf(one) !== position) report.problem(path, `'${one}' stands in this index twice`)
      else checkIndexed(field, path, report)
    })
  })
})

function checkIndexed({ name, column, compiled }: Field, path: Path, report: Report): void {
  if (column === undefined)
    report.problem(path, `'${name}' is worked out on every read and has no index`, 'Store it: stored: true')
  else if (column.kind === 'json')
    report.problem(path, `'${name}' is ${withArticle(compiled.type.name)}, which has no order to be found by`)
}
