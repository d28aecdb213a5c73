import type { Caller } from '@svc/kernel'
import type { Restricted, Restriction } from '../contract/restriction.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'

type Restrict = (operation: Restricted, caller: Caller) => Restriction | undefined

/** What blocks restrict, by the resource; one that is absent has no restrictions. */
const known = new WeakMap<Resource, readonly Restrict[]>()

/** Takes note of what the parts of a model restrict, before anybody asks for its records. */
export function noteRestrictions({ resources, parts }: Model): void {
  for (const resource of resources.values()) {
    const own = parts.flatMap((placed): readonly Restrict[] => {
      const { part } = placed
      if (part.narrow === undefined) return []
      if (placed.resource !== undefined && placed.resource !== resource) return []
      return [(operation, caller) => part.narrow?.(resource, operation, caller)]
    })
    if (own.length > 0) known.set(resource, own)
  }
}

/** Whether any block may restrict the resource. */
export const isRestricted = (resource: Resource): boolean => known.has(resource)

const NONE: readonly Restriction[] = Object.freeze([])

/** What restricts an operation of a caller now. */
export function restrictionsOf(
  resource: Resource,
  operation: Restricted,
  caller: Caller,
): readonly Restriction[] {
  const own = known.get(resource)
  return own === undefined ? NONE : own.flatMap((restrict) => restrict(operation, caller) ?? [])
}
