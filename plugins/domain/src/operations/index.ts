import type { Action } from '@svc/kernel'
import { blockActions } from './blocks/actions.ts'
import { shape } from '../checks/routes.ts'
import type { OperationName, Resource } from '../model/resource.ts'
import { listSchema, recordSchema } from '../present/answer-schema.ts'
import { bulkCreate, bulkDelete, bulkUpdate } from './bulk.ts'
import { count } from './count.ts'
import { create } from './create.ts'
import { customOperations } from './custom.ts'
import { distinct } from './distinct.ts'
import { exportRecords } from './export.ts'
import { get } from './get.ts'
import { importRecords } from './import.ts'
import { cached } from './cached.ts'
import { list } from './list.ts'
import { tellingOf } from '../speech/speech.ts'
import { inputFaults } from '../write/refuse.ts'
import type { Operation, Surroundings } from './operation.ts'
import { relatedActions } from './related.ts'
import { remove } from './remove.ts'
import { restore } from './restore.ts'
import { transitions } from './transition.ts'
import { put, update } from './update.ts'

interface Offered {
  readonly operation: Operation
  /** Operations that the definition must not disable for this one to have routes. */
  readonly needs: readonly OperationName[]
  /** The schema of its answers, which are held against it in development. */
  readonly answers?: (resource: Resource) => NonNullable<Action['output']>
  /** A feature that has to be on. */
  readonly feature?: 'softDelete' | 'export' | 'import'
  /** Its answers may be kept. */
  readonly isKept?: true
}

/**
 * What every resource offers. Disabling an operation takes with it what would do the same by another way; a resource
 * without list, create and delete keeps get and update of one record.
 */
const OFFERED: readonly Offered[] = [
  { operation: list, needs: ['list'], answers: listSchema, isKept: true },
  { operation: get, needs: ['get'], answers: recordSchema, isKept: true },
  { operation: create, needs: ['create'], answers: recordSchema },
  { operation: update, needs: ['update'], answers: recordSchema },
  { operation: put, needs: ['put'], answers: recordSchema },
  { operation: remove, needs: ['delete'] },
  { operation: count, needs: ['count', 'list'], isKept: true },
  { operation: distinct, needs: ['distinct', 'list'], isKept: true },
  { operation: bulkCreate, needs: ['bulk', 'create'] },
  { operation: bulkUpdate, needs: ['bulk', 'update', 'list'] },
  { operation: bulkDelete, needs: ['bulk', 'delete'] },
  { operation: restore, needs: [], answers: recordSchema, feature: 'softDelete' },
  { operation: exportRecords, needs: ['list'], feature: 'export' },
  { operation: importRecords, needs: ['create'], feature: 'import' },
]

/** All actions of a model's resources. */
export function recordActions(world: Omit<Surroundings, 'resource'>): readonly Action[] {
  const { model } = world
  const all = [...model.resources.values()].flatMap((resource) => {
    const around = { ...world, resource }
    const declared = [
      ...transitions(around).map((action) => ({ ...action, output: recordSchema(resource) })),
      ...relatedActions(around),
      ...customOperations(around),
      ...blockActions(around),
    ]
    const taken = new Set(declared.map(({ name }) => name))
    const made = [...ownActions(around).filter(({ name }) => !taken.has(name)), ...declared]
    return made.map((action) => ({
      ...action,
      localize: inputFaults(resource.localizer, subjectOf(action, resource)),
      ...tellingOf(resource.localizer),
    }))
  })
  return givingWay(all)
}

/** Where a body is a record, what is wrong with one of its members is told under the label of the field. */
const subjectOf = ({ output }: Action, resource: Resource): Resource | undefined =>
  output === undefined ? undefined : resource

function ownActions(around: Surroundings): readonly Action[] {
  const { resource } = around
  const { api, features } = resource
  return OFFERED.filter(({ feature }) => feature === undefined || features[feature]).map(
    ({ operation, needs, answers, isKept }) => {
      const made = isKept ? cached(operation(around), around) : operation(around)
      const action = answers ? { ...made, output: answers(resource) } : made
      return needs.some((name) => api.disabled.has(name)) ? disabled(action) : action
    },
  )
}

/**
 * A disabled operation is not there for requests, while callers inside the process, such as the seeder, still have it.
 * It keeps the paths that would mean a record without it: `/count` is no key.
 */
const disabled = (action: Action): Action => ({
  ...action,
  enabled: () => false,
  routes: (action.routes ?? []).filter((route) => FIXED.test(route)),
})

/** Routes with a segment of their own where others have the key of a record. */
const FIXED = /\/(?:count|distinct(?:\/:field)?|bulk)$/

/** A path that is only kept free gives way to whatever the definition declares there. */
function givingWay(actions: readonly Action[]): readonly Action[] {
  const open = actions.filter(({ enabled }) => enabled === undefined)
  const taken = new Set(open.flatMap(({ routes = [] }) => routes.map(shape)))
  return actions.map((action) =>
    action.enabled === undefined
      ? action
      : { ...action, routes: action.routes!.filter((route) => !taken.has(shape(route))) },
  )
}
