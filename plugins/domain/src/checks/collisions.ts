import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { pathOf } from './check.ts'
import { shape } from './routes.ts'

/**
 * Two resources never share one table, have one name in actions, or answer at one path. Of two it is told once: a name
 * that cures the first cures the others.
 */
export function collisions(model: Model, report: Report): void {
  const told = new Map<Resource, Set<Resource>>()
  for (const { what, of, hint } of SHARED) {
    const owners = new Map<string, Resource>()
    for (const resource of model.resources.values()) {
      const known = told.get(resource) ?? new Set<Resource>()
      told.set(resource, known)
      for (const value of of(resource)) {
        const other = owners.get(value)
        owners.set(value, resource)
        if (other === undefined || other === resource || known.has(other)) continue
        known.add(other)
        const message = `'${resource.name}' and '${other.name}' would share the ${what} '${value}'`
        report.problem(pathOf(resource), message, hint)
      }
    }
  }
}

interface Shared {
  readonly what: string
  of(resource: Resource): readonly string[]
  readonly hint: string
}

/** What follows from the name alone comes first. */
const SHARED: readonly Shared[] = [
  { what: 'table', of: ({ table }) => [table.name.toLowerCase()], hint: 'Rename one' },
  { what: 'name in actions', of: ({ slug }) => [slug], hint: 'Rename one' },
  { what: 'path', of: ({ api }) => api.paths.map(shape), hint: "Rename one, or set 'api.collection'" },
]
