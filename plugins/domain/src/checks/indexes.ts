import type { Path } from '../definition/problem.ts'
import { didYouMean, withArticle } from '../definition/names.ts'
import type { Field } from '../model/field.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { eachResource, pathOf } from './check.ts'

/** What every store takes, with room for what an index ends in. */
const MAX_INDEXED = 30

/** An index covers stored fields of its resource, each of them once, and has a name of its own. */
export const indexes = eachResource((resource, report) => {
  const written = resource.definition.indexes ?? []
  refuseSharedNames(written, resource, report)
  written.forEach(({ fields, name }, at) => {
    if (name !== undefined && written.findIndex((one) => one.name === name) !== at)
      report.problem(pathOf(resource, 'indexes', at, 'name'), `another index is called '${name}'`)
    if (fields.length > MAX_INDEXED)
      report.problem(
        pathOf(resource, 'indexes', at, 'fields'),
        `an index covers ${MAX_INDEXED} fields at most`,
        'Name the most telling first, and leave the others out',
      )
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

type Written = NonNullable<Resource['definition']['indexes']>

/** An index without a name is called by its fields, which may be the name of another. */
function refuseSharedNames(written: Written, resource: Resource, report: Report): void {
  const callers = new Map<string, string>()
  written.forEach(({ fields, name, unique = false }, at) => {
    const called = `${name ?? fields.join('__')} ${unique}`.toLowerCase()
    const other = callers.get(called)
    if (name === undefined && other !== undefined && other !== fields.join())
      report.problem(
        pathOf(resource, 'indexes', at),
        'another index would have the same name',
        "Give one a 'name'",
      )
    callers.set(called, fields.join())
  })
}

function checkIndexed({ name, column, compiled }: Field, path: Path, report: Report): void {
  if (column === undefined)
    report.problem(path, `'${name}' is worked out on every read and has no index`, 'Store it: stored: true')
  else if (column.kind === 'json')
    report.problem(path, `'${name}' is ${withArticle(compiled.type.name)}, which has no order to be found by`)
}
