import type { Action } from '@svc/kernel'

/** An action and the parameters that its path was found with. */
export interface Match {
  readonly action: Action
  readonly params: Readonly<Record<string, string>>
}

/**
 * The actions by the segments of their paths. Where a fixed segment and a parameter could both match, the fixed one
 * wins, at every position from the left, in whatever order the actions were added.
 */
export class Router {
  readonly #root = new Branch()
  /** The branches that only fixed segments lead to, by their paths: nearly every request ends one segment behind one. */
  readonly #fixed = new Map<string, Branch>()

  constructor(actions: readonly Action[]) {
    for (const action of actions) for (const route of action.routes ?? []) this.#add(route, action)
  }

  /** Finds the action for `method` at a path whose segments are in one spelling, as `canonicalPath` makes them. */
  match(method: string, path: string): Match | undefined {
    const values: string[] = []
    const end = this.#find(path, method, values)
    if (end === undefined) return undefined
    const params: Record<string, string> = {}
    for (const [at, name] of end.names.entries()) params[name] = decoded(values[at]!)
    return { action: end.action, params }
  }

  #find(path: string, method: string, values: string[]): End | undefined {
    if (!path.startsWith('/')) return undefined
    const slash = path.lastIndexOf('/')
    const nearby = this.#fixed.get(path.slice(0, slash))
    const end = nearby && find(nearby, path, slash + 1, method, values)
    return end ?? find(this.#root, path, 1, method, values)
  }

  #add(route: string, action: Action): void {
    const space = route.indexOf(' ')
    const names: string[] = []
    let branch = this.#root
    let path = ''
    for (const segment of route.slice(space + 2).split('/')) {
      if (names.length === 0) this.#fixed.set(path, branch)
      if (segment.startsWith(':')) names.push(segment.slice(1))
      branch = segment.startsWith(':') ? branch.parameter() : branch.fixed(encodeURIComponent(segment))
      path += `/${encodeURIComponent(segment)}`
    }
    branch.ends.set(route.slice(0, space), { action, names })
  }
}

/** Where a route ends: its action, and the names of its parameters from the left. */
interface End {
  readonly action: Action
  readonly names: readonly string[]
}

/** What can follow after some segments. */
class Branch {
  readonly byName = new Map<string, Branch>()
  byValue: Branch | undefined = undefined
  /** The routes that end here, by their method. */
  readonly ends = new Map<string, End>()

  fixed(segment: string): Branch {
    const branch = this.byName.get(segment) ?? new Branch()
    this.byName.set(segment, branch)
    return branch
  }

  parameter(): Branch {
    return (this.byValue ??= new Branch())
  }
}

function find(branch: Branch, path: string, from: number, method: string, values: string[]): End | undefined {
  const slash = path.indexOf('/', from)
  const segment = slash === -1 ? path.slice(from) : path.slice(from, slash)
  const after = (next: Branch) =>
    slash === -1 ? next.ends.get(method) : find(next, path, slash + 1, method, values)
  const fixed = branch.byName.get(segment)
  const end = fixed && after(fixed)
  if (end !== undefined || branch.byValue === undefined || segment === '') return end
  const { length } = values
  values.push(segment)
  const found = after(branch.byValue)
  if (found === undefined) values.length = length
  return found
}

const decoded = (segment: string): string => (segment.includes('%') ? decodeURIComponent(segment) : segment)

/**
 * The path of a target with each segment in one spelling, so that `/%70ing` is `/ping` while an encoded slash stays
 * inside its segment; '' (which no route has) where the percent-encoding is broken.
 */
export function canonicalPath(target: string): string {
  if (PLAIN.test(target)) return target
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
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
