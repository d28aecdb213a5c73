import type { Route } from '@svc/kernel'
import type { DomainAction } from '../contract/action.ts'
import type { Model } from '../model/model.ts'

/** An action that a block adds to a domain, where it answers. */
export interface AddedAction {
  readonly key: string
  readonly action: DomainAction
  /** Its whole name: `svc.shop.views.read`. */
  readonly name: string
  /** At every prefix of the domain, the canonical one first. */
  readonly routes: readonly Route[]
}

/** The actions that blocks add to a domain. */
export const addedActions = (model: Pick<Model, 'name' | 'prefixes' | 'parts'>): readonly AddedAction[] =>
  model.parts.flatMap((placed) => {
    if (placed.resource !== undefined) return []
    const { key, part } = placed
    return (part.actions ?? []).map((action) => ({
      key,
      action,
      name: `svc.${model.name}.${key}.${action.name}`,
      routes: model.prefixes.flatMap((prefix) => action.routes.map((route) => below(prefix, route))),
    }))
  })

const below = (prefix: string, route: Route): Route => {
  const at = route.indexOf('/')
  return `${route.slice(0, at)}${prefix}${route.slice(at)}` as Route
}
