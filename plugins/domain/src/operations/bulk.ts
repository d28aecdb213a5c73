import { type Call, Reply } from '@svc/kernel'
import { MOST_LENGTH, type Reader, type Row as Values } from '@svc/store/contract'
import { actionAccess } from '../access/operation.ts'
import { domainErrors } from '../errors.ts'
import { lengthOf } from '../present/length.ts'
import { presentRecord } from '../present/record.ts'
import type { ChangeKind } from '../contract/change.ts'
import { finding } from '../speech/sentences.ts'
import type { Change } from '../write/change.ts'
import { invalid, type Reading } from '../write/refuse.ts'
import { neighboursOf } from '../reach/neighbours.ts'
import type { Row } from './apply-rows.ts'
import { type BatchResult, isObject, itemsOf, onlyKeys, runBatch } from './batch.ts'
import { keyOf } from '../query/key.ts'
import { idempotent } from './idempotent.ts'
import {
  accessOf,
  bindRecord,
  changeOf,
  notesOf,
  readingOf,
  type Operation,
  type RecordInput,
  routesOf,
  type Surroundings,
} from './operation.ts'
import { parentOf } from './parent.ts'
import { conflictOf, upsert } from './upsert.ts'

/** Makes many records; with `upsert` it changes those that are there. */
export const bulkCreate: Operation = (around) => {
  const { resource, runtime } = around
  const name = `${resource.actionPrefix}bulk-create`
  return {
    name,
    summary: `Create many ${resource.plural}`,
    access: actionAccess(resource, 'create'),
    routes: routesOf(resource, 'POST', '/bulk', ['bulk']),
    bind: bindRecord,
    notes: notesOf(around, 'bulk'),
    handle: (input: RecordInput, outer) =>
      idempotent(around, name, input, outer, async (transact, call) => {
        const { data } = input
        const parent = await parentOf(around, input, call)
        const reading = readingOf(around, call)
        const items = itemsOf(data, 'items', runtime.bulkLimit, reading)
        const conflict = conflictOf(data, accessOf(around, call), reading)
        const upserting = conflict && { ...around, call, conflict, parent, seen: new Set<string>() }
        const rows = items.map((item, index) =>
          upserting
            ? upsert(upserting, item, index)
            : insert(around, call, { body: item, parent, row: index }),
        )
        return runBatch(around, rows, { transact, answer: madeAnswer(conflict !== undefined) })
      }),
  }
}

/** Changes many records, all alike or each in its own way. */
export const bulkUpdate: Operation = (around) => ({
  name: `${around.resource.actionPrefix}bulk-update`,
  summary: `Change many ${around.resource.plural}`,
  access: actionAccess(around.resource, 'update'),
  routes: routesOf(around.resource, 'PATCH', '/bulk', ['bulk']),
  bind: bindRecord,
  notes: notesOf(around, 'bulk'),
  async handle(input: RecordInput, call) {
    const parent = await parentOf(around, input, call)
    const rows = updatesOf(input.data, around, readingOf(around, call)).map(({ id, values }, row) =>
      change(around, call, 'update', { id, body: values, parent, row }),
    )
    return runAll(around, call, rows, 'updated')
  },
})

/** Deletes many records. */
export const bulkDelete: Operation = (around) => ({
  name: `${around.resource.actionPrefix}bulk-delete`,
  summary: `Delete many ${around.resource.plural}`,
  access: actionAccess(around.resource, 'delete'),
  routes: routesOf(around.resource, 'DELETE', '/bulk', ['bulk']),
  bind: bindRecord,
  notes: notesOf(around, 'bulk'),
  async handle(input: RecordInput, call) {
    const { data } = input
    const parent = await parentOf(around, input, call)
    const reading = readingOf(around, call)
    if (isObject(data)) onlyKeys(data, ['ids'], reading)
    const rows = itemsOf(data, 'ids', around.runtime.bulkLimit, reading).map((id, row) =>
      change(around, call, 'delete', { id, body: undefined, parent, row }),
    )
    return runAll(around, call, rows, 'deleted')
  },
})

/** The answer to rows that made records. */
export const madeAnswer =
  (withUpdates: boolean) =>
  async ({ changes, failures, facts }: BatchResult, reader: Reader): Promise<Reply> => {
    const items = await shownOf(changes, reader)
    if (lengthOf(items) > MOST_LENGTH) throw tooLong()
    const created = changes.filter(({ kind }) => kind === 'create').length
    const data = {
      created,
      ...(withUpdates && { updated: changes.length - created }),
      failed: failures.length,
      items,
      errors: failures,
    }
    return new Reply({ status: 201, data, ...facts })
  }

/** Nothing is made of which the answer could not tell. */
const tooLong = () =>
  domainErrors.BULK_LIMIT_EXCEEDED({
    message: `The records that this makes have more than ${MOST_LENGTH / 1_000_000} million characters together: make fewer of them in one request`,
  })

/** Records of one resource as the caller of all of them may see them. */
async function shownOf(changes: readonly Change[], reader: Reader): Promise<readonly Values[]> {
  const [first] = changes
  if (first === undefined) return []
  const { access } = first
  const rows = changes.map(({ record, standing }) => (standing ?? record)!)
  const reach = access.reachOf(access.shown)
  const found = reach.size === 0 ? [] : await neighboursOf(rows, reach, { reader, access, rights: 'caller' })
  return rows.map((row, at) => presentRecord(row, access.shown, access, found[at]))
}

/** What a row of a request brings. */
interface Item {
  readonly body: unknown
  readonly parent: Change['parent']
  /** Its place among the rows, from 0. */
  readonly row: number
}

/** A row that makes a record. */
export const insert = (around: Surroundings, call: Call, item: Item): Row => ({
  start: async () => changeOf(around, call, 'create', { ...item, key: undefined, ifMatch: undefined }),
})

interface Target extends Item {
  readonly id: unknown
}

const change = (around: Surroundings, call: Call, kind: ChangeKind, { id, ...item }: Target): Row => ({
  id,
  async start() {
    if (id === undefined) throw withoutKey(around, call)
    return changeOf(around, call, kind, {
      ...item,
      key: keyOf(around.resource, id),
      ifMatch: undefined,
    })
  },
})

const runAll = (
  around: Surroundings,
  call: Call,
  rows: readonly Row[],
  verb: 'updated' | 'deleted',
): Promise<Reply> =>
  runBatch(around, rows, {
    transact: (work, options) => around.runtime.transaction(call.caller, work, options),
    answer: ({ changes, failures, facts }) =>
      new Reply({ data: { [verb]: changes.length, failed: failures.length, errors: failures }, ...facts }),
  })

interface Entry {
  readonly id: unknown
  readonly values: unknown
}

/** `{ids, data}`, or a list of objects that each name their record under `id` or under the key's own name. */
function updatesOf(body: unknown, { resource, runtime }: Surroundings, reading: Reading): readonly Entry[] {
  if (isObject(body) && 'ids' in body) {
    onlyKeys(body, ['ids', 'data'], reading)
    return itemsOf(body, 'ids', runtime.bulkLimit, reading).map((id) => ({ id, values: body['data'] }))
  }
  return itemsOf(body, 'items', runtime.bulkLimit, reading).map((item) => {
    if (!isObject(item)) return { id: undefined, values: item }
    const name = Object.hasOwn(item, resource.key.name) ? resource.key.name : 'id'
    const { [name]: id, ...values } = item
    return { id, values }
  })
}

const withoutKey = (around: Surroundings, call: Call) =>
  invalid(readingOf(around, call), [{ ...finding('required.key'), field: around.resource.key.name }])
