import type { Result, Router } from 'hono/router'

/**
 * A router of Hono for fixed segments, parameters, and a rest of several segments. Where more than one could match, the
 * fixed one wins, and the rest is the last, at every position from the left, in whatever order the routes were added; one
 * route alone matches.
 */
export class RouteTree<T> implements Router<T> {
  readonly name = 'RouteTree'
  readonly #root = new Branch<T>()
  /** The branches that only fixed segments lead to, by their paths: nearly every request ends one segment behind one. */
  readonly #fixed = new Map<string, Branch<T>>()

  add(method: string, path: string, handler: T): void {
    const names: string[] = []
    let branch = this.#root
    let passed = ''
    for (const segment of path.slice(1).split('/')) {
      if (names.length === 0) this.#fixed.set(passed, branch)
      if (PARAMETER.test(segment)) names.push(segment.slice(1))
      if (segment.startsWith('*')) {
        branch.rests.set(method, { handler, names })
        return
      }
      branch = segment.startsWith(':') ? branch.parameter() : branch.fixed(spelled(segment))
      passed += `/${spelled(segment)}`
    }
    branch.ends.set(method, { handler, names })
  }

  /** Finds the route for `method` at a path whose segments are in one spelling, as `canonicalPath` makes them. */
  match(method: string, path: string): Result<T> {
    const values: string[] = []
    const end = this.#find(path, method, values)
    if (end === undefined) return [[]]
    const params: Record<string, string> = {}
    for (let at = 0; at < values.length; at += 1) params[end.names[at]!] = values[at]!
    return [[[end.handler, params]]]
  }

  #find(path: string, method: string, values: string[]): End<T> | undefined {
    if (!path.startsWith('/')) return undefined
    const slash = path.lastIndexOf('/')
    const nearby = this.#fixed.get(path.slice(0, slash))
    const end = nearby && find(nearby, path, slash + 1, method, values)
    return end ?? find(this.#root, path, 1, method, values)
  }
}

const PARAMETER = /^[:*]/

/** Where a route ends: what handles it, and the names of its parameters from the left. */
interface End<T> {
  readonly handler: T
  readonly names: readonly string[]
}

/** What can follow after some segments. */
class Branch<T> {
  readonly byName = new Map<string, Branch<T>>()
  byValue: Branch<T> | undefined = undefined
  /** The routes that end here, by their method. */
  readonly ends = new Map<string, End<T>>()
  /** The routes that take whatever follows, by their method. */
  readonly rests = new Map<string, End<T>>()

  fixed(segment: string): Branch<T> {
    const branch = this.byName.get(segment) ?? new Branch<T>()
    this.byName.set(segment, branch)
    return branch
  }

  parameter(): Branch<T> {
    return (this.byValue ??= new Branch())
  }
}

function find<T>(
  branch: Branch<T>,
  path: string,
  from: number,
  method: string,
  values: string[],
): End<T> | undefined {
  const slash = path.indexOf('/', from)
  const segment = slash === -1 ? path.slice(from) : path.slice(from, slash)
  const after = (next: Branch<T>) =>
    slash === -1 ? next.ends.get(method) : find(next, path, slash + 1, method, values)
  const fixed = branch.byName.get(segment)
  const end = fixed && after(fixed)
  if (end !== undefined || segment === '') return end
  if (branch.byValue !== undefined) {
    const { length } = values
    values.push(segment)
    const found = after(branch.byValue)
    if (found !== undefined) return found
    values.length = length
  }
  const taking = branch.rests.get(method)
  if (taking === undefined || !isPlain(path, from)) return undefined
  values.push(path.slice(from))
  return taking
}

/** Whether what is left of a path names what it seems to name: segments that are neither empty nor `.` or `..`, nor hold a slash. */
const isPlain = (path: string, from: number): boolean => !UNPLAIN.test(path.slice(from))

/** An encoded slash would be one more segment once it is decoded; a backslash is one to some systems, and NUL ends a name. */
const UNPLAIN = /(?:^|\/)\.{0,2}(?:\/|$)|%2F|[\\\0]/i

/**
 * The path of an address with each segment in one spelling, so that `/%70ing` is `/ping` while an encoded slash stays
 * inside its segment; '' (which no route has) where the percent-encoding is broken.
 */
export function canonicalPath(url: string): string {
  // Scheme and host come before it.
  const start = url.indexOf('/', 8)
  const path = url.slice(start, endOf(url, start))
  if (!path.includes('%')) return path
  try {
    return path
      .split('/')
      .map((segment) => spelled(decodeURIComponent(segment)))
      .join('/')
  } catch {
    return ''
  }
}

/** Where the path of an address ends that begins at `start`: at its query, or at a fragment. */
function endOf(url: string, start: number): number {
  const query = url.indexOf('?', start)
  const fragment = url.indexOf('#', start)
  const end = query === -1 || (fragment !== -1 && fragment < query) ? fragment : query
  return end === -1 ? url.length : end
}

/** A decoded segment as paths write it; decoded once more, it is the same again. */
const spelled = (segment: string): string => segment.replaceAll(/[%/?#]/g, encodeURIComponent)
