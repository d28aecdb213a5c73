import type { Field, Path, ResourceSite } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'

/** Finds a stored field that may be shown; reports what is wrong with the name, and answers undefined. */
export function storedField(name: string, path: Path, site: ResourceSite): Field | undefined {
  const field = shownField(name, path, site)
  if (field === undefined || field.column !== undefined) return field
  site.problem(
    path,
    `'${name}' is worked out on every read: it never changes by itself`,
    'Name a stored field',
  )
  return undefined
}

/** Finds a field that may be shown; reports what is wrong with the name, and answers undefined. */
export function shownField(name: string, path: Path, site: ResourceSite): Field | undefined {
  const { fields, name: resource } = site.resource
  const field = fields.get(name)
  if (field?.compiled.type.readable === true) return field
  if (field !== undefined) site.problem(path, `'${name}' is a secret and is never kept outside of its record`)
  else {
    const meant = nearest(name, fields.keys())
    site.problem(path, `'${resource}' has no field '${name}'`, meant && `Did you mean '${meant}'?`)
  }
  return undefined
}
