import { shared } from '@svc/kernel'
import type { Resource } from './resource.ts'

/** A resource is forgotten with its model. */
const known = shared('domain.siblings', () => new WeakMap<Resource, ReadonlyMap<string, Resource>>())

/** Says which resources make up a model, once all of them are there. */
export function bindSiblings(resources: ReadonlyMap<string, Resource>): void {
  for (const resource of resources.values()) known.set(resource, resources)
}

/** All resources of the model that a resource is part of, itself among them; asked when the model is whole. */
export function siblingsOf(resource: Resource): ReadonlyMap<string, Resource> {
  const found = known.get(resource)
  if (found === undefined) throw new Error(`the resource '${resource.name}' is part of no model yet`)
  return found
}
