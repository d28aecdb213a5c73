import { withArticle } from '../definition/names.ts'
import type { ColumnKind } from '@svc/store/contract'
import { eachResource, pathOf } from './check.ts'

const FIT: readonly ColumnKind[] = ['uuid', 'text', 'integer']

/** A resource has one key, and the key is something that a path can carry. */
export const primaryKey = eachResource((resource, report) => {
  const [first, ...others] = [...resource.fields.values()].filter((field) => field.primaryKey)
  for (const { name } of others) {
    report.problem(
      pathOf(resource, 'object', name, 'primaryKey'),
      `'${resource.name}' has a second primary key`,
      `Keep the one on '${first!.name}'`,
    )
  }
  const { name, compiled } = resource.key
  if (!FIT.includes(compiled.type.column) || !compiled.type.readable) {
    report.problem(
      pathOf(resource, 'object', name, 'type'),
      `${withArticle(compiled.type.name)} cannot be a primary key`,
      'Use uuid, string or integer',
    )
  }
})
