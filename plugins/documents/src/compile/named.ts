import { type Model, type Path, recordShape, type Resource, type Site } from '@svc/domain/contract'
import type { Known, ObjectShape } from '@svc/expression/contract'

/** Relationships of a resource, by their names; reports those that it has not. */
export function includeOf(
  written: string | readonly string[] | undefined,
  resource: Resource,
  site: Site,
  path: Path,
): readonly string[] {
  const names = typeof written === 'string' ? written.split(',').map((name) => name.trim()) : (written ?? [])
  return names.filter((name) => {
    const isKnown = resource.relationships.has(name)
    if (!isKnown) site.problem(path, `'${resource.name}' has no relationship '${name.slice(0, 60)}'`)
    return isKnown
  })
}

/** What is known of what a relationship leads to. */
export function includedShape(resource: Resource, name: string, model: Model): Known {
  const relationship = resource.relationships.get(name)
  if (relationship === undefined || relationship.target.kind === 'users') return 'unknown'
  const target = model.resources.get(relationship.target.name)
  if (target === undefined) return 'unknown'
  const shape = recordShape(target)
  return relationship.kind === 'belongsTo' ? shape : { kind: 'list', items: shape }
}

/** What is known of a record with what it includes. */
export function recordKnown(resource: Resource, include: readonly string[], model: Model): ObjectShape {
  const shape = recordShape(resource)
  if (include.length === 0) return shape
  const members = new Map(shape.members)
  for (const name of include) members.set(name, includedShape(resource, name, model))
  return { ...shape, members }
}

/** Finds a resource by its name; reports one that is not declared. */
export function resourceNamed(name: string, site: Site, path: Path): Resource | undefined {
  const resource = site.model.resources.get(name)
  if (resource === undefined) site.problem(path, `there is no resource '${name.slice(0, 60)}'`)
  return resource
}

/** Reports keys that mean nothing beside the first of those that are known. */
export function onlyKeys(written: object, known: readonly string[], site: Site, path: Path): void {
  for (const [key, value] of Object.entries(written))
    if (value !== undefined && !known.includes(key))
      site.problem([...path, key], `means nothing beside '${known[0]}'`)
}
