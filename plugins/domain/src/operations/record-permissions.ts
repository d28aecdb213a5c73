import type { Neighbours } from '@svc/expression/contract'
import type { Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { judge, passes } from '../access/verdict.ts'
import { operationsOf } from '../blocks/added.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { Guarded } from '../model/permission.ts'
import { stateOf } from '../model/state-machine.ts'
import type { CustomOperation, OperationName, Resource } from '../model/resource.ts'
import { assign } from '../write/states/assign.ts'
import { refusalOf } from '../write/states/guard.ts'
import type { Change } from '../write/change.ts'
import { setByService } from '../write/accept.ts'
import { valuesOf } from '../write/values.ts'

/** What a caller may do with one record, as it is now. */
export interface RecordPermissions {
  /** Names of operations on this record alone. */
  readonly operations: readonly string[]
  /** Names of the transitions that leave its state. */
  readonly transitions: readonly string[]
  /** Names of the fields that an update may change. */
  readonly writable: readonly string[]
}

/**
 * Says what the caller of `access` may do with a record that was read whole. It decides as the writes do. `neighbours` are
 * what the permissions of its resource ask for.
 */
export function recordPermissions(model: Model, access: Access, record: Row, neighbours?: Neighbours): Row {
  const facts: Facts = { access, record, neighbours, isDeleted: isDeleted(access.resource, record) }
  const operations = offers(model, access.resource)
    .filter((offer) => offer.isOpen(facts))
    .map(({ name }) => name)
  const mayWrite = operations.includes('update') || operations.includes('put')
  const answer: RecordPermissions = {
    operations,
    transitions: facts.isDeleted ? [] : transitionsOf(facts),
    writable: mayWrite ? writableFields(facts) : [],
  }
  return { ...answer }
}

interface Facts {
  readonly access: Access
  readonly record: Row
  readonly neighbours: Neighbours | undefined
  readonly isDeleted: boolean
}

/** Something that may be done with one record, and whether a caller may. */
interface Offer {
  readonly name: string
  isOpen(facts: Facts): boolean
}

const remembered = new WeakMap<Resource, readonly Offer[]>()

/** What the resource offers for one record; of two with one name the later one answers. */
function offers(model: Model, resource: Resource): readonly Offer[] {
  const known = remembered.get(resource)
  if (known) return known
  const all = [...ownOffers(resource), ...addedOffers(model, resource), ...customOffers(resource)]
  const made = [...new Map(all.map((offer) => [offer.name, offer])).values()]
  remembered.set(resource, made)
  return made
}

const OWN: readonly (readonly [operation: OperationName, permission: Guarded])[] = [
  ['update', 'update'],
  ['put', 'update'],
  ['delete', 'delete'],
]

function ownOffers({ api, features }: Resource): readonly Offer[] {
  const get: Offer = {
    name: 'get',
    isOpen: ({ access, record, neighbours }) => access.mayTouch('get', record, neighbours),
  }
  const restore: Offer = {
    name: 'restore',
    isOpen: ({ access, record, neighbours, isDeleted }) =>
      isDeleted && access.mayTouch('delete', record, neighbours),
  }
  return [
    ...(api.disabled.has('get') ? [] : [get]),
    ...OWN.filter(([name]) => !api.disabled.has(name)).map(([name, permission]) => guarded(name, permission)),
    ...(features.softDelete ? [restore] : []),
  ]
}

const guarded = (name: string, permission: Guarded): Offer => ({
  name,
  isOpen: ({ access, record, neighbours, isDeleted }) =>
    !isDeleted && access.mayTouch(permission, record, neighbours),
})

/** What blocks let somebody do with one record; lists of what became of it are part of reading it. */
const addedOffers = (model: Model, resource: Resource): readonly Offer[] =>
  operationsOf({ model, resource }).flatMap(({ name, routes }) =>
    Object.entries(routes)
      .filter(([route]) => !route.startsWith('GET ') && route.includes('/:id'))
      .map(([, permission]) => guarded(name, permission)),
  )

const customOffers = ({ api }: Resource): readonly Offer[] =>
  api.customOperations
    .filter(({ path }) => path.split('/').includes(':id'))
    .map((operation) => ({ name: operation.name, isOpen: (facts) => mayRun(operation, facts) }))

function mayRun(operation: CustomOperation, facts: Facts): boolean {
  const { access, record, neighbours, isDeleted } = facts
  const verdict = judge(operation.permission, access.judging(operation.name))
  if (isDeleted || !passes(verdict, record, neighbours)) return false
  return operation.method === 'GET' || mayAssignState(operation, facts)
}

/** An operation that sets the state needs a way there, as every other write does. */
function mayAssignState({ fields }: CustomOperation, { access, record, neighbours }: Facts): boolean {
  const { resource, caller } = access
  const machine = resource.stateMachine
  if (machine === undefined || !fields.has(machine.field)) return true
  const at = new Date(access.now()).toISOString()
  const trial = {
    kind: 'custom',
    resource,
    access,
    caller,
    at,
    previous: record,
    values: valuesOf(),
    neighbours,
    nextNeighbours: neighbours,
  } as const
  assign(trial, fields)
  const { [machine.field]: wanted }: Change['values'] = trial.values
  if (wanted === stateOf(machine, record)) return true
  return [...machine.from(stateOf(machine, record)).values()].some(
    (transition) => transition.to === wanted && refusalOf(transition, trial) === undefined,
  )
}

function transitionsOf({ access, record, neighbours }: Facts): readonly string[] {
  const { resource } = access
  const machine = resource.stateMachine
  if (machine === undefined || !access.mayTouch('get', record, neighbours)) return []
  const move = {
    kind: 'transition',
    resource,
    access,
    previous: record,
    values: valuesOf(),
    neighbours,
    nextNeighbours: neighbours,
  } as const
  return [...machine.from(stateOf(machine, record)).values()]
    .filter((transition) => refusalOf(transition, move) === undefined)
    .map(({ name }) => name)
}

function writableFields({ access, record }: Facts): readonly string[] {
  const { resource, caller } = access
  const update = { kind: 'update', resource, caller } as const
  const isOpen = (field: Field) =>
    !field.primaryKey &&
    !field.immutable &&
    field.name !== resource.stateMachine?.field &&
    !setByService(field, update) &&
    access.writableIn(record, field)
  return [...resource.fields.values()].filter(isOpen).map(({ name }) => name)
}

const isDeleted = ({ features }: Resource, record: Row): boolean =>
  features.softDelete && record['deletedAt'] !== null
