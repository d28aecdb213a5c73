import type { Change, Resource } from '@svc/domain/contract'
import type { Trigger } from './trigger.ts'

/** Those who listen to writes, by the resource that they listen to: who listens to another one costs nothing. */
export interface Listeners<T> {
  /** Those whom a change concerns, in their order; conditions are not asked. */
  hearing(change: Change, history?: readonly string[]): readonly T[]
  /** Whether anybody listens to a resource at all. */
  listensTo(resource: Resource): boolean
}

/** Sorts listeners by their triggers once, when a definition is read. */
export function listenersOf<T>(entries: Iterable<readonly [Trigger, T]>): Listeners<T> {
  const byResource = new Map<Resource, (readonly [Trigger, T])[]>()
  for (const entry of entries) {
    const { resource } = entry[0]
    const known = byResource.get(resource)
    if (known === undefined) byResource.set(resource, [entry])
    else known.push(entry)
  }
  const nobody: readonly T[] = []
  return {
    hearing(change, history) {
      const listening = byResource.get(change.resource)
      if (listening === undefined) return nobody
      return listening.flatMap(([trigger, one]) => (trigger.concerns(change, history) ? [one] : []))
    },
    listensTo: (resource) => byResource.has(resource),
  }
}
