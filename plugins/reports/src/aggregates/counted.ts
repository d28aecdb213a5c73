import { didYouMean, type Path, type Resource, type RowCondition, type Site } from '@svc/domain/contract'
import type { View, Views } from '../views/view.ts'

/** The records that something is worked out of: those of a resource, or of a view with its filter and scope. */
export interface Counted {
  readonly name: string
  readonly resource: Resource
  readonly view: View | undefined
  readonly scope: string | undefined
}

/** What a name counts; undefined where nothing is called so. */
export function countedOf(name: string, site: Site, views: Views): Counted | undefined {
  const view = views.get(name)
  if (view) return { name, resource: view.source, view, scope: view.scope }
  const resource = site.model.resources.get(name)
  return resource && { name, resource, view: undefined, scope: undefined }
}

/** The same; a name that nothing is called by is reported. */
export function countedAt(name: string, site: Site, views: Views, path: Path): Counted | undefined {
  const counted = countedOf(name, site, views)
  if (counted === undefined)
    site.problem(
      path,
      `there is no resource or view '${name.slice(0, 60)}'`,
      didYouMean(name, countedNames(site, views)),
    )
  return counted
}

export const countedNames = (site: Site, views: Views): readonly string[] => [
  ...site.model.resources.keys(),
  ...views.keys(),
]

/** The conditions that a source has of itself. */
export const ownFilters = ({ view }: Counted): readonly RowCondition[] => (view?.filter ? [view.filter] : [])
