import { type Action, errors, type Inbound } from '@svc/kernel'
import type { Condition, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import type { BelongsToMany, HasMany, Relationship } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import { liveRow } from '../query/live.ts'
import type { Within } from '../query/plan.ts'
import { isObject } from './batch.ts'
import { childrenOf, orderOf, sidesOf } from './embed.ts'
import { keyFrom, keyOf } from './key.ts'
import { accessOf, notesOf, type RecordInput, routesOf, type Surroundings } from './operation.ts'
import { readList } from './read-list.ts'

type ToMany = HasMany | BelongsToMany

/** The actions of a resource's relationships to many: their lists, and the links between two resources. */
export function relatedActions(around: Surroundings): readonly Action[] {
  return [...around.resource.relationships.values()]
    .filter(isToMany)
    .flatMap((relationship) => [
      ...(answersElsewhere(relationship, around) ? [] : [listRelated(relationship, around)]),
      ...(relationship.kind === 'belongsToMany'
        ? [link(relationship, around), unlink(relationship, around)]
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

const shape = (path: string): string => path.replace(/:[A-Za-z0-9_]+/g, ':')

function listRelated(relationship: ToMany, around: Surroundings): Action {
  const { resource, runtime } = around
  const target = targetOf(relationship, around)
  return {
    name: `${resource.actionPrefix}${relationship.name}`,
    summary: `List the ${relationship.name} of one ${resource.name}`,
    access: actionAccess(target, 'list'),
    routes: routesOf(resource, 'GET', `/:id/${relationship.name}`),
    bind: ({ params, query }) => ({ id: params['id'], query }),
    notes: notesOf(around, 'related', { relationship: relationship.name }),
    async handle({ id, query = {} }: RecordInput, call) {
      const key = await assertParent(around, accessOf(around, call), id)
      const access = new Access(target, call.caller, runtime.env.now)
      return readList(around, access, query, call, within(relationship, key, access))
    },
  }
}

/** The parent has to be there, and the caller has to be allowed to see it. */
async function assertParent({ resource, runtime }: Surroundings, access: Access, id: string | undefined) {
  const key = keyFrom(resource, id)
  const columns = [resource.key.column!, ...access.deciding('get')]
  const [parent] = await runtime.store.select({
    table: resource.table,
    columns: [...new Set(columns)],
    where: liveRow(resource, key),
    order: [],
    limit: 1,
  })
  if (parent === undefined)
    throw errors.NOT_FOUND({ message: `There is no ${resource.name} '${String(key)}'` })
  access.assertRecord('get', parent)
  return key
}

function within(relationship: ToMany, key: Exclude<Value, null>, access: Access): Within {
  const { resource } = access
  if (relationship.kind === 'hasMany') {
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

interface LinkInput extends RecordInput {
  readonly target?: unknown
}

function link(relationship: BelongsToMany, around: Surroundings): Action {
  const { resource, runtime } = around
  const { name, junction, foreignKey, otherKey, timestamps } = relationship
  return {
    name: `${resource.actionPrefix}${name}.link`,
    summary: `Link one ${resource.name} to one of ${name}`,
    access: actionAccess(resource, 'update'),
    routes: routesOf(resource, 'POST', `/:id/${name}`),
    bind: ({ params }: Inbound, data) => ({ id: params['id'], target: targetIn(data, otherKey) }),
    notes: notesOf(around, 'link', { relationship: name }),
    async handle({ id, target }: LinkInput, call) {
      const key = keyFrom(resource, id)
      const other = targetOf(relationship, around)
      const otherId = keyOf(other, target)
      const access = accessOf(around, call)
      const values = { [foreignKey]: key, [otherKey]: otherId }
      const stamped = timestamps
        ? { ...values, createdAt: new Date(runtime.env.now()).toISOString() }
        : values
      const count = await runtime.store.transaction(async (transaction) => {
        await assertLive(resource, key, transaction, access)
        await assertLive(other, otherId, transaction, new Access(other, call.caller, runtime.env.now), 'get')
        return transaction.insert({ table: junction, values: stamped, onConflict: 'ignore' })
      })
      if (count > 0) tell('linked', around, relationship, call.caller, call.requestId, key, otherId)
      return { linked: true, ...values }
    },
  }
}

function targetIn(data: unknown, otherKey: string): unknown {
  const value = isObject(data) ? data[otherKey] : undefined
  if (value !== undefined && value !== null) return value
  throw errors.VALIDATION_ERROR({
    errors: [{ field: otherKey, rule: 'required', message: `'${otherKey}' is required` }],
  })
}

function unlink(relationship: BelongsToMany, around: Surroundings): Action {
  const { resource, runtime } = around
  const { name, junction, foreignKey, otherKey } = relationship
  const { near, far } = sidesOf(relationship)
  return {
    name: `${resource.actionPrefix}${name}.unlink`,
    summary: `Unlink one ${resource.name} from one of ${name}`,
    access: actionAccess(resource, 'update'),
    routes: routesOf(resource, 'DELETE', `/:id/${name}/:targetId`),
    bind: ({ params }: Inbound) => ({ id: params['id'], target: params['targetId'] }),
    notes: notesOf(around, 'unlink', { relationship: name }),
    async handle({ id, target }: LinkInput, call) {
      const key = keyFrom(resource, id)
      const otherId = keyFrom(targetOf(relationship, around), String(target))
      const isLink: Condition = {
        op: 'and',
        of: [
          { op: 'eq', column: near, value: key },
          { op: 'eq', column: far, value: otherId },
        ],
      }
      const count = await runtime.store.transaction(async (transaction) => {
        await assertLive(resource, key, transaction, accessOf(around, call))
        return transaction.remove({ table: junction, where: isLink })
      })
      if (count > 0) tell('unlinked', around, relationship, call.caller, call.requestId, key, otherId)
      return { unlinked: true, [foreignKey]: key, [otherKey]: otherId }
    },
  }
}

type TransactionOf = Parameters<Parameters<Surroundings['runtime']['store']['transaction']>[0]>[0]

/** Holds a live record that the caller may touch by `operation`, or throws. */
async function assertLive(
  resource: Resource,
  key: Exclude<Value, null>,
  transaction: TransactionOf,
  access: Access,
  operation: 'get' | 'update' = 'update',
): Promise<void> {
  const { table } = resource
  const where = liveRow(resource, key)
  const [row] = await transaction.select({
    table,
    columns: table.columns,
    where,
    order: [],
    limit: 1,
    lock: true,
  })
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no ${resource.name} '${String(key)}'` })
  access.assertRecord(operation, row)
}

function tell(
  event: 'linked' | 'unlinked',
  { model, resource, runtime }: Surroundings,
  { name, otherKey }: BelongsToMany,
  caller: Access['caller'],
  requestId: string,
  key: Value,
  otherId: Value,
): void {
  runtime.bus.emit(`${resource.actionPrefix}${event}`, {
    id: key,
    domain: model.name,
    resource: resource.name,
    action: event,
    relationship: name,
    record: { [otherKey]: otherId },
    previous: null,
    actor: { id: caller.id, username: caller.username },
    at: new Date(runtime.env.now()).toISOString(),
    requestId,
  })
}
