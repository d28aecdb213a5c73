import { nearest, type Route } from '@svc/kernel'

/** How many addresses are named at once. */
const NAMED = 5
/** A longer path is no slip, and takes long to compare. */
const LONGEST = 300

/** A method, and the path of a route with what was asked for in the places of its parameters. */
interface Known {
  readonly method: string
  readonly path: string
}

/**
 * What may have been meant by a path that no route takes by this method, in words that go on after a colon: the same
 * address by other methods, one that is spelt nearly so, or those below it; undefined where nothing is near.
 */
export function nearby(path: string, routes: readonly Route[]): string | undefined {
  if (!path.startsWith('/') || path.length > LONGEST) return undefined
  const asked = path.split('/')
  const known = routes.map((route): Known => {
    const space = route.indexOf(' ')
    return { method: route.slice(0, space), path: filled(route.slice(space + 1), asked) }
  })
  const here = known.filter((one) => one.path === path)
  if (here.length > 0) return `it takes ${[...new Set(here.map(({ method }) => method))].join(', ')}`
  const meant = withoutSlash(path, known) ?? ending(path, known) ?? spelt(asked, known)
  if (meant !== undefined) return `did you mean ${meant}?`
  const below = known.filter((one) => one.path.startsWith(path.endsWith('/') ? path : `${path}/`))
  const told = below.slice(0, NAMED).map((one) => `${one.method} ${one.path}`)
  if (below.length > NAMED) told.push(`${below.length - NAMED} more`)
  return told.length === 0 ? undefined : `below it there are ${told.join(', ')}`
}

const filled = (pattern: string, asked: readonly string[]): string =>
  pattern
    .split('/')
    .map((segment, at) => (segment.startsWith(':') ? asked[at] || segment : segment))
    .join('/')

const withoutSlash = (path: string, known: readonly Known[]): string | undefined => {
  const bare = path.replace(/\/+$/, '')
  return bare !== path && known.some((one) => one.path === bare) ? bare : undefined
}

/** The address that ends in what was asked for: what stands before it was left out. */
const ending = (path: string, known: readonly Known[]): string | undefined =>
  path === '/' ? undefined : known.find((one) => one.path.endsWith(path))?.path

/** The address of which one segment is spelt nearly as it was asked for, and all others are. */
function spelt(asked: readonly string[], known: readonly Known[]): string | undefined {
  /** By the place at which alone they differ: what stands there, and the whole address. */
  const differing = asked.map(() => new Map<string, string>())
  for (const { path } of known) {
    const segments = path.split('/')
    if (segments.length !== asked.length) continue
    const [at, ...more] = segments.flatMap((segment, at) => (segment === asked[at] ? [] : [at]))
    if (at !== undefined && more.length === 0) differing[at]!.set(segments[at]!, path)
  }
  for (const [at, paths] of differing.entries()) {
    const meant = nearest(asked[at]!, paths.keys())
    if (meant !== undefined) return paths.get(meant)
  }
  return undefined
}
