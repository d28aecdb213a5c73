import type { Action } from '@svc/kernel'

/** One address of one action, its path as the router wants it. */
export interface ActionRoute {
  readonly method: string
  readonly path: string
  readonly action: Action
}

/**
 * Every route of `actions` in the order of their claim: where a fixed segment and a parameter could both match,
 * the fixed one comes first, at every position from the left, in whatever order the actions were added.
 */
export function routesOf(actions: readonly Action[]): readonly ActionRoute[] {
  const routes = actions.flatMap((action) =>
    (action.routes ?? []).map((route) => {
      const space = route.indexOf(' ')
      return { method: route.slice(0, space), path: canonicalRoute(route.slice(space + 1)), action }
    }),
  )
  const ranked = routes.map((route) => ({ route, rank: rankOf(route.path) }))
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0)).map(({ route }) => route)
}

/**
 * The path of `url` with each segment in one spelling, so that `/%70ing` is `/ping` while an encoded slash stays
 * inside its segment; '' (which no route has) where the percent-encoding is broken.
 */
export function canonicalPath(url: string): string {
  const path = pathOf(url)
  if (PLAIN.test(path)) return path
  try {
    return path
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/')
  } catch {
    return ''
  }
}

/** Characters that no spelling changes (RFC 3986, section 2.3). */
const PLAIN = /^[\w.~/-]*$/

/** `url` is absolute; its path begins after scheme and host and ends before query and fragment. */
function pathOf(url: string): string {
  const start = url.indexOf('/', 8)
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

const isParameter = (segment: string): boolean => segment.startsWith(':')

const canonicalRoute = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isParameter(segment) ? segment : encodeURIComponent(segment)))
    .join('/')

/** Sorts fixed segments before parameters, by position. */
const rankOf = (path: string): string =>
  path
    .split('/')
    .map((segment) => (isParameter(segment) ? '1' : '0'))
    .join('')
