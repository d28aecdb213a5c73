import { routeShape } from '@svc/kernel'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { type Offer, offersOf } from './offers.ts'

/** No two things that a domain offers answer at one route. Collections that share a path are told once, elsewhere. */
export function routes(model: Model, report: Report): void {
  const taken = new Map<string, { readonly resource: Resource; readonly offer: Offer }>()
  for (const resource of model.resources.values()) {
    for (const offer of offersOf(resource, model)) {
      for (const route of routesOf(resource, offer)) {
        const other = taken.get(shape(route))
        if (other === undefined) taken.set(shape(route), { resource, offer })
        else if (!shareCollection(resource, other.resource))
          report.problem(
            offer.at,
            `${offer.what} would answer at '${route}', where ${named(other, resource)} does`,
            'Give one of them another path or name',
          )
      }
    }
  }
}

/** The routes at the canonical path: at the others all is the same. */
const routesOf = ({ api }: Resource, { routes: below }: Offer): readonly string[] =>
  below.map((route) => route.replace(' ', ` ${api.paths[0] ?? ''}`))

/** Routes that differ in the names of their parameters answer the same requests. */
export const shape = routeShape

const shareCollection = (one: Resource, other: Resource): boolean =>
  one !== other && one.api.paths.some((path) => other.api.paths.map(shape).includes(shape(path)))

const named = ({ resource, offer }: { resource: Resource; offer: Offer }, own: Resource): string =>
  resource === own ? offer.what : `${offer.what} of '${resource.name}'`
