import { patternInSlashes } from '@svc/expression/contract'
import type { Path } from '../definition/problem.ts'
import type { Report } from '../model/report.ts'
import { eachResource, pathOf } from './check.ts'

/** A pattern stands without the slashes that programs write around it: they would be signs that a text has to have. */
export const patterns = eachResource((resource, report) => {
  for (const { name, definition, computed } of resource.fields.values())
    if (computed === undefined) look(definition, pathOf(resource, 'object', name), report)
})

/** Looks at a field, and at those that stand inside of it. */
function look(field: unknown, at: Path, report: Report): void {
  const { pattern, items, fields } = Object(field) as Record<'pattern' | 'items' | 'fields', unknown>
  const inside = typeof pattern === 'string' ? patternInSlashes(pattern) : undefined
  if (inside !== undefined)
    report.warning([...at, 'pattern'], 'the slashes are part of the pattern', `Write '${inside}'`)
  if (items !== undefined) look(items, [...at, 'items'], report)
  for (const [name, inner] of Object.entries(Object(fields))) look(inner, [...at, 'fields', name], report)
}
