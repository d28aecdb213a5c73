import { type AddedAction, addedActions } from '../blocks/actions.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { pathOf } from './check.ts'
import { offersOf } from './offers.ts'
import { shape } from './routes.ts'

/** The actions of keys of the domain and the collections of its resources keep out of each other's way. */
export function addedActionsApart(model: Model, report: Report): void {
  const added = addedActions(model)
  if (added.length === 0) return
  refuseNames(added, report)
  refuseEqual(added, report)
  const routes = branchesOf(added)
  for (const resource of model.resources.values()) {
    refuseCovered(resource, added, routes, report)
    refuseNamesake(resource, model, added, report)
  }
}

/** Where both would answer, the fixed segment of the one would hide records of the other. */
function refuseCovered(
  { name, slug, api, definition }: Resource,
  added: readonly AddedAction[],
  routes: Branch,
  report: Report,
): void {
  for (const collection of [...api.paths, ...api.directPaths]) {
    const other = added[firstAtOrBelow(collection, routes)]
    if (other === undefined) continue
    const written = definition.api?.collection === undefined ? 'path' : 'collection'
    return report.problem(
      pathOf({ name }, 'api', written),
      `'${name}' would answer at '${collection}', where the key '${other.key}' does`,
      `Give it a path of its own, such as api.path: /${slug}-records`,
    )
  }
}

/** What the paths of routes have in common up to some segment, which parameters fill whatever they are called. */
interface Branch {
  /** The first action of which a route passes here. */
  readonly first: number
  readonly next: Map<string, Branch>
}

function branchesOf(added: readonly AddedAction[]): Branch {
  const root: Branch = { first: 0, next: new Map() }
  for (const [first, { routes }] of added.entries())
    for (const route of routes) {
      let at = root
      for (const segment of segmentsOf(route.slice(route.indexOf('/')))) {
        const next = at.next.get(segment) ?? { first, next: new Map() }
        at.next.set(segment, next)
        at = next
      }
    }
  return root
}

/** The first action that has some address, where a route may take the rest of one, at a collection or below it; -1 where none has. */
function firstAtOrBelow(collection: string, routes: Branch): number {
  let passed = [routes]
  const taken: Branch[] = []
  for (const segment of segmentsOf(collection)) {
    taken.push(...passed.flatMap(({ next }) => next.get('*') ?? []))
    passed = passed.flatMap(({ next }) =>
      segment === ':' ? [...next.values()] : [segment, ':'].flatMap((one) => next.get(one) ?? []),
    )
  }
  const found = [...taken, ...passed].map(({ first }) => first)
  return found.length === 0 ? -1 : Math.min(...found)
}

const segmentsOf = (path: string): readonly string[] => shape(path).split('/')

function refuseNamesake(
  resource: Resource,
  model: Model,
  added: readonly AddedAction[],
  report: Report,
): void {
  const own = added.filter(({ name }) => name.startsWith(resource.actionPrefix))
  if (own.length === 0) return
  const offered = new Set(offersOf(resource, model).map(({ action }) => `${resource.actionPrefix}${action}`))
  const twice = own.find(({ name }) => offered.has(name))
  if (twice !== undefined)
    report.problem(
      pathOf(resource),
      `'${resource.name}' and the key '${twice.key}' would both name an action '${twice.name}'`,
      'Rename the resource',
    )
}

/** Parts that the definition has named keep their case. */
const NAME = /^[A-Za-z][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*$/

/** Names are those of a plugin: whoever submits a definition is told whose. */
function refuseNames(added: readonly AddedAction[], report: Report): void {
  const seen = new Set<string>()
  for (const { key, name, action } of added) {
    const remedy = `This is for the plugin that owns '${key}' to change:`
    if (!NAME.test(action.name))
      report.problem(
        ['domain', key],
        `'${action.name}' is no name for an action`,
        `${remedy} give it one of letters, digits and hyphens`,
      )
    else if (seen.has(name))
      report.problem(['domain', key], `two actions are called '${name}'`, `${remedy} rename one of them`)
    seen.add(name)
  }
}

function refuseEqual(added: readonly AddedAction[], report: Report): void {
  const taken = new Map<string, AddedAction>()
  for (const one of added) {
    for (const route of one.routes) {
      const other = taken.get(shape(route))
      if (other !== undefined && other !== one)
        report.problem(
          ['domain', one.key],
          `'${one.name}' would answer at '${route}', where '${other.name}' does`,
          other.key === one.key
            ? `This is for the plugin that owns '${one.key}' to change: give one of both another route`
            : 'Load one of the plugins that own these keys',
        )
      taken.set(shape(route), one)
    }
  }
}
