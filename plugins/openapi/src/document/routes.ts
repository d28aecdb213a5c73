import { type Action, type RouteParameter, routeParameters } from '@svc/kernel'
import type { Model } from '@svc/domain/contract'

/** One address of an action. */
export interface DocumentedRoute {
  readonly action: Action
  readonly method: string
  /** The path with its parameters as `:name`. */
  readonly path: string
  /** The path's parameters from the left. */
  readonly parameters: readonly RouteParameter[]
}

/**
 * The addresses of an action that a document shows. Those that stand for others are left out: those below an alias of
 * the domain, and one whose last parameter can be given as a query parameter of the same action (`/distinct/:field`,
 * which as a template would be the same as `/:id/lines`).
 */
export function routesOf(action: Action, model: Model | undefined): readonly DocumentedRoute[] {
  const all = action.routes ?? []
  const shown = all.filter((route) => !isAlias(route, all, aliasesOf(model)) && !isSecondForm(route, all))
  return shown.map((route) => {
    const space = route.indexOf(' ')
    const path = route.slice(space + 1)
    return {
      action,
      method: route.slice(0, space),
      path,
      parameters: routeParameters(path),
    }
  })
}

/** A prefix, and the one that it stands for. */
type Alias = readonly [alias: string, canonical: string]

function aliasesOf(model: Model | undefined): readonly Alias[] {
  const [canonical, ...aliases] = model?.prefixes ?? []
  return canonical === undefined ? [] : aliases.map((alias) => [alias, canonical])
}

const isSecondForm = (route: string, all: readonly string[]): boolean =>
  /\/:[^/]+$/.test(route) && all.includes(route.replace(/\/:[^/]+$/, ''))

const isAlias = (route: string, all: readonly string[], aliases: readonly Alias[]): boolean =>
  aliases.some(([alias, canonical]) => {
    const twin = route.replace(` ${alias}/`, ` ${canonical}/`)
    return twin !== route && all.includes(twin)
  })
