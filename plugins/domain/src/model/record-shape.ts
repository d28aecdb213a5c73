import { kindOfColumn, type Known, type ObjectShape } from '@svc/expression/contract'
import { shared } from '@svc/kernel'
import type { Resource } from './resource.ts'

const shapes = new WeakMap<Resource, ObjectShape>()
const resources = shared('domain.shown-resources', () => new WeakMap<object, Resource>())

/** What is known of a record that stands in a variable: its fields, which are shown by the rules of its resource. */
export function recordShape(resource: Resource): ObjectShape {
  const known = shapes.get(resource)
  if (known) return known
  const fields = [...resource.fields.values()].filter(({ compiled }) => compiled.type.readable)
  const members = new Map<string, Known>(
    fields.map(({ name, compiled }) => [name, kindOfColumn(compiled.type.column)]),
  )
  const made = Object.freeze({ kind: 'object', members, source: resource } as const)
  shapes.set(resource, made)
  resources.set(resource, resource)
  return made
}

/** The resource whose records have a shape; undefined where its source is none. */
export const resourceOf = (source: object | undefined): Resource | undefined =>
  source && resources.get(source)
