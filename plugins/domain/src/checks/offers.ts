import { operationsOf } from '../blocks/added.ts'
import type { Path } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'
import type { OperationName, Resource } from '../model/resource.ts'
import { pathOf } from './check.ts'

/** Something that a resource offers to clients. */
export interface Offer {
  /** What it is, for messages: `the transition 'publish'`. */
  readonly what: string
  /** Its name among the resource's actions. */
  readonly action: string
  /** Methods and paths below the collection: `POST /:id/restore`. */
  readonly routes: readonly string[]
  /** Where it is declared; the place of the resource for what comes by itself. */
  readonly at: Path
}

const BY_OPERATION: Readonly<Record<OperationName, readonly string[]>> = {
  list: ['GET '],
  get: ['GET /:id'],
  create: ['POST '],
  update: ['PATCH /:id'],
  put: ['PUT /:id'],
  delete: ['DELETE /:id'],
  count: ['GET /count'],
  distinct: ['GET /distinct', 'GET /distinct/:field'],
  bulk: ['POST /bulk', 'PATCH /bulk', 'DELETE /bulk'],
}

type Feature = 'softDelete' | 'export' | 'import'

const BY_FEATURE: Readonly<Record<Feature, Readonly<Record<string, readonly string[]>>>> = {
  softDelete: { restore: ['POST /:id/restore'] },
  export: { export: ['GET /export'] },
  import: { import: ['POST /import'] },
}

/** Everything that a resource offers, with what comes by itself first. */
export const offersOf = (resource: Resource, model: Model): readonly Offer[] => [
  ...ownOf(resource),
  ...addedTo(resource, model),
  ...transitionsOf(resource),
  ...relationshipsOf(resource, model),
  ...customOf(resource),
]

function ownOf(resource: Resource): readonly Offer[] {
  const operations = Object.entries(BY_OPERATION).filter(
    ([name]) => !resource.api.disabled.has(name as OperationName),
  )
  const features = Object.entries(BY_FEATURE).filter(([feature]) => resource.features[feature as Feature])
  const all = [...operations, ...features.flatMap(([, actions]) => Object.entries(actions))]
  return all.map(([action, routes]) => ({
    what: `the operation '${action}'`,
    action,
    routes,
    at: pathOf(resource),
  }))
}

/** What blocks add. */
const addedTo = (resource: Resource, model: Model): readonly Offer[] =>
  operationsOf({ model, resource }).map(({ name, routes }) => ({
    what: `the operation '${name}'`,
    action: name,
    routes: Object.keys(routes),
    at: pathOf(resource),
  }))

/** All transitions share one route, which takes the name. */
function transitionsOf(resource: Resource): readonly Offer[] {
  const { stateMachine } = resource
  if (stateMachine === undefined) return []
  return stateMachine.transitions.map((name, index) => {
    const from = [...stateMachine.states.values()].find(({ transitions }) => transitions.has(name))!
    return {
      what: `the transition '${name}'`,
      action: name,
      routes: index === 0 ? ['POST /:id/transitions/:name'] : [],
      at: pathOf(resource, 'stateMachine', 'states', from.name, 'transitions', name),
    }
  })
}

/** A list that a nested resource answers already is the same list. */
function relationshipsOf(resource: Resource, model: Model): readonly Offer[] {
  return [...resource.relationships.values()].flatMap((one) => {
    if (one.kind === 'belongsTo') return []
    const { name, kind } = one
    const links = [`POST /:id/${name}`, `DELETE /:id/${name}/:targetId`]
    const child = one.target.kind === 'resource' ? model.resources.get(one.target.name) : undefined
    const nested =
      kind === 'hasMany' &&
      child?.api.under?.parent === resource.name &&
      child.api.under.foreignKey === one.foreignKey
    return {
      what: `the relationship '${name}'`,
      action: name,
      routes: [...(nested ? [] : [`GET /:id/${name}`]), ...(kind === 'belongsToMany' ? links : [])],
      at: pathOf(resource, 'relationships', name),
    }
  })
}

const customOf = ({ api }: Resource): readonly Offer[] =>
  api.customOperations.map(({ name, method, path, definedAt }) => ({
    what: `the custom operation '${name}'`,
    action: name,
    routes: [`${method} ${path}`],
    at: definedAt,
  }))
