import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { pathOf } from './check.ts'
import { shape } from './routes.ts'

/** Two resources never answer at one path, share one table, or have one name in actions. */
export function collisions(model: Model, report: Report): void {
  const resources = [...model.resources.values()]
  refuseShared(resources, report, 'path', ({ api }) => api.paths.map(shape))
  refuseShared(resources, report, 'table', ({ table }) => [table.name.toLowerCase()])
  refuseShared(resources, report, 'name in actions', ({ slug }) => [slug])
}

function refuseShared(
  resources: readonly Resource[],
  report: Report,
  what: string,
  of: (resource: Resource) => readonly string[],
): void {
  const owners = new Map<string, Resource>()
  for (const resource of resources) {
    for (const value of of(resource)) {
      const other = owners.get(value)
      if (other !== undefined && other !== resource) {
        report.problem(
          pathOf(resource),
          `'${resource.name}' and '${other.name}' would share the ${what} '${value}'`,
          "Rename one, or set 'api.collection'",
        )
      }
      owners.set(value, resource)
    }
  }
}
