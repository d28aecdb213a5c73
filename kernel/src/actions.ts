import type { Action } from './action.ts'
import { assertRoute, type Route, routeShape } from './route.ts'

/** The registry: every action of the server by name. */
export interface Actions {
  /** Adds actions for as long as the server runs. A taken name or route is an error. */
  add(...actions: readonly Action[]): void
  /** Replaces everything that was mounted under `prefix` by `actions` in one step; what it returns removes them. */
  mount(prefix: string, actions: readonly Action[]): () => void
  /** Throws as `mount` would, and changes nothing. */
  check(prefix: string, actions: readonly Action[]): void
  find(name: string): Action | undefined
  list(): readonly Action[]
  /** Calls `listener` after every change of the registry. */
  onChange(listener: () => void): () => void
}

/** Makes an empty registry. */
export function createActions(): Actions {
  const groups = new Map<symbol | string, readonly Action[]>()
  const listeners = new Set<() => void>()
  let byName: ReadonlyMap<string, Action> = new Map()

  const replaced = (key: symbol | string, actions: readonly Action[]) => {
    const next = new Map(groups)
    if (actions.length === 0) next.delete(key)
    else next.set(key, actions)
    return next
  }

  const publish = (key: symbol | string, actions: readonly Action[]) => {
    const next = replaced(key, actions)
    byName = index([...next.values()].flat())
    groups.clear()
    for (const [name, group] of next) groups.set(name, group)
    for (const listener of listeners) listener()
  }

  return {
    add: (...actions) => publish(Symbol('added'), actions),
    check(prefix, actions) {
      refuseStray(prefix, actions)
      index([...replaced(prefix, actions).values()].flat())
    },
    mount(prefix, actions) {
      refuseStray(prefix, actions)
      publish(prefix, actions)
      return () => {
        if (groups.get(prefix) === actions) publish(prefix, [])
      }
    },
    find: (name) => byName.get(name),
    list: () => [...byName.values()],
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function refuseStray(prefix: string, actions: readonly Action[]): void {
  const stray = actions.find((action) => !action.name.startsWith(prefix))
  if (stray) throw new Error(`action '${stray.name}' is mounted under '${prefix}' but is not named so`)
}

function index(actions: readonly Action[]): ReadonlyMap<string, Action> {
  const byName = new Map<string, Action>()
  const byRoute = new Map<string, string>()
  for (const action of actions) {
    if (byName.has(action.name)) throw new Error(`action '${action.name}' is registered twice`)
    byName.set(action.name, action)
    for (const [route, shape] of shapesOf(action)) {
      const taken = byRoute.get(shape)
      if (taken) throw new Error(`'${route}' is claimed by '${taken}' and by '${action.name}'`)
      byRoute.set(shape, action.name)
    }
  }
  return byName
}

/** The routes of actions and their shapes: at a start all of them are indexed once for each plugin. */
const shapes = new WeakMap<Action, readonly (readonly [Route, string])[]>()

/** Throws where a route is none, or where it is not said who may run the action. */
function shapesOf(action: Action): readonly (readonly [Route, string])[] {
  const known = shapes.get(action)
  if (known !== undefined) return known
  // What decides who is let in by the list would find a role in a part of a text.
  if (!Array.isArray(action.access) && action.access !== 'record')
    throw new Error(`action '${action.name}' needs an 'access': a list of roles, or 'record'`)
  const made = (action.routes ?? []).map((route) => {
    assertRoute(route)
    return [route, routeShape(route)] as const
  })
  shapes.set(action, made)
  return made
}
