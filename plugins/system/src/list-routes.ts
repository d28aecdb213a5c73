import type { Action } from '@svc/kernel'

/** One address of the server: `path` as it was registered, with `:name` parameters. */
export interface ListedRoute {
  readonly method: string
  readonly path: string
  readonly action: string
}

/** Every route that leads somewhere, by path and then by method; actions that are switched off are left out. */
export function listRoutes(actions: readonly Action[]): readonly ListedRoute[] {
  return actions
    .filter((action) => action.enabled?.() !== false)
    .flatMap(({ name, routes = [] }) => routes.map((route) => listed(route, name)))
    .sort((a, b) => compare(a.path, b.path) || compare(a.method, b.method))
}

function listed(route: string, action: string): ListedRoute {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space), path: route.slice(space + 1), action }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
