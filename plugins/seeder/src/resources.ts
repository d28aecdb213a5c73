import { type Actions, nearest } from '@svc/kernel'
import { z } from 'zod'
import type { SeedRecord } from './manifest.ts'
import type { Source } from './read.ts'

/** What the action that makes records says of them. */
const notes = z.object({
  record: z.object({
    domain: z.string(),
    resource: z.string(),
    operation: z.literal('create'),
    key: z.string(),
    keyKind: z.string().optional(),
  }),
})

/** A resource that records can be made of. */
export interface Resource {
  readonly domain: string
  readonly name: string
  /** The action that makes a record. */
  readonly create: string
  /** The name of the key field. */
  readonly key: string
  /** How keys look; undefined where the engine does not say. */
  readonly keyKind: string | undefined
}

/** Finds the resource of a record. Throws a StartupError that names the domain or the resource that is not there. */
export type FindResource = (record: SeedRecord) => Resource

/** Makes the search among the actions that are mounted now. */
export function createFindResource(actions: Actions, source: Source): FindResource {
  const resources = actions.list().flatMap(({ name, notes: said }): Resource[] => {
    const parsed = notes.safeParse(said)
    if (!parsed.success) return []
    const { domain, resource, key, keyKind } = parsed.data.record
    return [{ domain, name: resource, create: name, key, keyKind }]
  })

  return ({ domain, resource, path }) => {
    const found = resources.find((one) => one.domain === domain && one.name === resource)
    if (found) return found
    const siblings = resources.filter((one) => one.domain === domain).map(({ name }) => name)
    if (siblings.length > 0) {
      throw source.fault(
        path.slice(0, 3),
        `domain '${domain}' has no resource '${resource}'`,
        among(resource, siblings),
      )
    }
    const domains = [...new Set(resources.map((one) => one.domain))]
    throw source.fault(path.slice(0, 2), `there is no domain '${domain}'`, among(domain, domains))
  }
}

function among(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  if (meant !== undefined) return `Did you mean '${meant}'?`
  return known.length === 0 ? "Load one with 'domain.domain_file'" : `Known are: ${known.join(', ')}`
}
