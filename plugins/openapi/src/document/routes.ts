import type { Action } from '@svc/kernel'
import type { Model } from '@svc/domain/contract'

/** One address of an action. */
export interface DocumentedRoute {
  readonly action: Action
  readonly method: string
  /** The path with its parameters as `:name`. */
  readonly path: string
  /** Names of the path's parameters from the left. */
  readonly parameters: readonly string[]
}

/** The addresses of an action that a document shows: those below an alias of the domain stand for others and are left out. */
export function routesOf(action: Action, model: Model | undefined): readonly DocumentedRoute[] {
  const all = action.routes ?? []
  const shown = all.filter((route) => !isAlias(route, all, aliasesOf(model)))
  return shown.map((route) => {
    const space = route.indexOf(' ')
    const path = route.slice(space + 1)
    return {
      action,
      method: route.slice(0, space),
      path,
      parameters: [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name!),
    }
  })
}

/** A prefix, and the one that it stands for. */
type Alias = readonly [alias: string, canonical: string]

function aliasesOf(model: Model | undefined): readonly Alias[] {
  const [canonical, ...aliases] = model?.prefixes ?? []
  return canonical === undefined ? [] : aliases.map((alias) => [alias, canonical])
}

const isAlias = (route: string, all: readonly string[], aliases: readonly Alias[]): boolean =>
  aliases.some(([alias, canonical]) => {
    const twin = route.replace(` ${alias}/`, ` ${canonical}/`)
    return twin !== route && all.includes(twin)
  })
