import type { Action } from '@svc/kernel'
import type { Condition, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import { shape } from '../checks/routes.ts'
import type { BelongsToMany, HasMany, Relationship } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import type { Within } from '../query/plan.ts'
import { childrenOf, orderOf, sidesOf } from './embed.ts'
import { keyFrom } from '../query/key.ts'
import { cached } from './cached.ts'
import { linkActions } from './link/link.ts'
import { accessOf, notesOf, type RecordInput, routesOf, type Surroundings } from './operation.ts'
import { assertAbove } from './parent.ts'
import { readList } from './read-list.ts'

type ToMany = HasMany | BelongsToMany

/** The actions of a resource's relationships to many: their lists, and the links between two resources. */
export function relatedActions(around: Surroundings): readonly Action[] {
  return [...around.resource.relationships.values()]
    .filter(isToMany)
    .flatMap((relationship) => [
      ...(answersElsewhere(relationship, around) ? [] : [listRelated(relationship, around)]),
      ...(relationship.kind === 'belongsToMany'
        ? linkActions(relationship, targetOf(relationship, around), around)
        : []),
    ])
}

const isToMany = (relationship: Relationship): relationship is ToMany => relationship.kind !== 'belongsTo'

function targetOf({ target }: ToMany, { model }: Surroundings): Resource {
  const resource = target.kind === 'resource' ? model.resources.get(target.name) : undefined
  if (resource === undefined) throw new Error('a relationship to many leads to a resource')
  return resource
}

/** A child resource that answers under its parent has the same path already. */
function answersElsewhere(relationship: ToMany, around: Surroundings): boolean {
  const paths = routesOf(around.resource, 'GET', `/:id/${relationship.name}`).map(shape)
  return targetOf(relationship, around).api.paths.some((path) => paths.includes(shape(`GET ${path}`)))
}

function listRelated(relationship: ToMany, around: Surroundings): Action {
  const { resource, runtime } = around
  const target = targetOf(relationship, around)
  const action: Action = {
    name: `${resource.actionPrefix}${relationship.name}`,
    summary: `List the ${relationship.name} of one ${resource.name}`,
    access: actionAccess(target, 'list'),
    routes: routesOf(resource, 'GET', `/:id/${relationship.name}`),
    bind: ({ params, query }) => ({ id: params['id'], query }),
    notes: notesOf(around, 'related', { relationship: relationship.name }),
    async handle({ id, query = {} }: RecordInput, call) {
      const key = keyFrom(resource, id)
      await assertAbove(accessOf(around, call), key, runtime.store)
      const access = Access.of(target, call.caller, runtime.env.now)
      return readList(around, access, query, call, within(relationship, key, access))
    },
  }
  return cached(action, around, target)
}

function within(relationship: ToMany, key: Exclude<Value, null>, access: Access): Within {
  const { resource } = access
  if (relationship.kind === 'hasMany') {
    // Who may not read whose children records are does not learn it by asking from the other side.
    if (access.readable(relationship.foreignKey) === undefined) return { where: [{ op: 'never' }] }
    const isChild: Condition = {
      op: 'eq',
      column: resource.fields.get(relationship.foreignKey)!.column!,
      value: key,
    }
    return { where: [isChild, ...childrenOf(relationship, resource)], order: orderOf(relationship, access) }
  }
  const { near, far } = sidesOf(relationship)
  const isLinked: Condition = {
    op: 'exists',
    table: relationship.junction,
    on: [[far, resource.key.column!]],
    where: { op: 'eq', column: near, value: key },
  }
  return { where: [isLinked] }
}
