/**
 * An address at which transports offer an action: a verb and a path. A segment `:name` stands for any one segment, and
 * `*name` at the end for all that is left of the path, one segment at least.
 */
export type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** A parameter in a path. */
export interface RouteParameter {
  readonly name: string
  /** Stands for the rest of the path, slashes and all. */
  readonly isRest: boolean
}

/** The parameters of a path, from the left. */
export const routeParameters = (path: string): readonly RouteParameter[] =>
  [...path.matchAll(PARAMETER)].map(([, kind, name = '']) => ({ name, isRest: kind === '*' }))

/** A route without the names of its parameters: two of one shape match the same requests. */
export const routeShape = (route: string): string => route.replaceAll(PARAMETER, '/$1')

const PARAMETER = /\/([:*])([^/]*)/g

const ROUTE = /^(?:GET|POST|PUT|PATCH|DELETE) \//

/** Throws where a route is no verb and path, something stands behind the rest of a path, or a parameter has no name or that of another. */
export function assertRoute(route: string): void {
  if (!ROUTE.test(route)) throw new Error(`'${route}' is no route: one is as 'GET /path'`)
  const parameters = routeParameters(route)
  const names = parameters.map(({ name }) => name)
  if (names.includes('')) throw new Error(`'${route}' has a parameter without a name`)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`'${route}' has two parameters named '${twice}'`)
  const rest = parameters.find(({ isRest }) => isRest)
  if (rest !== undefined && !route.endsWith(`/*${rest.name}`))
    throw new Error(`'${route}' has something behind '*${rest.name}', which is all that is left of a path`)
}
