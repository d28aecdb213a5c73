import { type Action, type Call, errors, Reply, Warnings } from '@svc/kernel'
import type { Condition, Row, Transaction, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import type { BelongsToMany } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import { liveRow } from '../query/live.ts'
import { assertReachable } from '../query/reachable.ts'
import { isObject } from './batch.ts'
import { beginWarnings, type Change, tellWarnings, warnedBy } from '../write/change.ts'
import { ownValue } from '../write/values.ts'
import { sidesOf } from './embed.ts'
import { keyFrom, keyOf } from '../query/key.ts'
import {
  accessOf,
  bindRecord,
  changeOf,
  notesOf,
  type RecordInput,
  routesOf,
  type Surroundings,
} from './operation.ts'
import { idempotent } from './idempotent.ts'
import { assertAbove } from './parent.ts'

type Key = Exclude<Value, null>

/** What the links of one relationship are made of. */
interface Linking extends Surroundings {
  readonly relationship: BelongsToMany
  /** The resource at the other end. */
  readonly target: Resource
}

/** The actions that link two records and take the link away; both may be repeated. */
export const linkActions = (
  relationship: BelongsToMany,
  target: Resource,
  around: Surroundings,
): readonly Action[] => {
  const linking = { ...around, relationship, target }
  return [link(linking), unlink(linking)]
}

function link(linking: Linking): Action {
  const { resource, runtime, relationship, target } = linking
  const { name, junction, timestamps } = relationship
  const action = `${resource.actionPrefix}${name}.link`
  return {
    name: action,
    summary: `Link one ${resource.name} to one of ${name}`,
    access: actionAccess(resource, 'update'),
    routes: routesOf(resource, 'POST', `/:id/${name}`),
    bind: bindRecord,
    notes: notesOf(linking, 'link', { relationship: name }),
    handle: (input: RecordInput, outer) =>
      idempotent(linking, action, input, outer, async (transact, call) => {
        const key = keyFrom(resource, input.id)
        const at = timestamps ? { createdAt: new Date(runtime.env.now()).toISOString() } : {}
        let linked: Linked | undefined
        const reply = await transact(
          async (transaction) => {
            linked = undefined
            await assertNear(linking, key, call, transaction)
            const other = keyOf(target, targetIn(input.data, relationship.otherKey))
            await holdEnds(linking, key, other, transaction)
            const record = await assertLive(accessOf(linking, call), 'update', key, transaction)
            await assertLive(Access.of(target, call.caller, runtime.env.now), 'get', other, transaction)
            const pair = pairOf(relationship, key, other)
            const values = { ...pair, ...at }
            linked = await recorded({ linking, call, transaction, kind: 'linked', record, key, other }, () =>
              transaction.insert({ table: junction, values, onConflict: 'ignore' }),
            )
            return new Reply({ data: { linked: true, ...pair } })
          },
          { warnings: () => warnedIn(linked) },
        )
        finish(linked, linking, call)
        return reply
      }),
  }
}

function unlink(linking: Linking): Action {
  const { resource, runtime, relationship, target } = linking
  const { name, junction, otherKey } = relationship
  return {
    name: `${resource.actionPrefix}${name}.unlink`,
    summary: `Unlink one ${resource.name} from one of ${name}`,
    access: actionAccess(resource, 'update'),
    routes: routesOf(resource, 'DELETE', `/:id/${name}/:targetId`),
    bind: bindRecord,
    notes: notesOf(linking, 'unlink', { relationship: name }),
    async handle(input: RecordInput, call) {
      const key = keyFrom(resource, input.id)
      const named = input.path?.['targetId']
      const { other, unlinked } = await runtime.transaction(call.caller, async (transaction) => {
        const record = await assertNear(linking, key, call, transaction)
        const other =
          named === undefined ? keyOf(target, targetIn(input.data, otherKey)) : keyFrom(target, named)
        const where = isPair(relationship, key, other)
        const written = { linking, call, transaction, kind: 'unlinked', record, key, other } as const
        return {
          other,
          unlinked: await recorded(written, () => transaction.remove({ table: junction, where })),
        }
      })
      finish(unlinked, linking, call)
      return { unlinked: true, ...pairOf(relationship, key, other) }
    },
  }
}

function targetIn(data: unknown, otherKey: string): unknown {
  const value = isObject(data) ? ownValue(data, otherKey) : undefined
  if (value !== undefined && value !== null) return value
  throw errors.VALIDATION_ERROR({
    errors: [{ field: otherKey, rule: 'required', message: `'${otherKey}' is required` }],
  })
}

const pairOf = ({ foreignKey, otherKey }: BelongsToMany, key: Key, other: Key) => ({
  [foreignKey]: key,
  [otherKey]: other,
})

function isPair(relationship: BelongsToMany, key: Key, other: Key): Condition {
  const { near, far } = sidesOf(relationship)
  return {
    op: 'and',
    of: [
      { op: 'eq', column: near, value: key },
      { op: 'eq', column: far, value: other },
    ],
  }
}

/** The record on this side: links are below it, and change it. Nothing is said of the other side before that is clear. */
async function assertNear(linking: Linking, key: Key, call: Call, transaction: Transaction): Promise<Row> {
  const access = accessOf(linking, call)
  await assertAbove(access, key, transaction)
  return assertLive(access, 'update', key, transaction, false)
}

/** Two records of one resource are held in the order of their keys, as everybody else holds them. */
async function holdEnds(
  { resource: { table }, target }: Linking,
  key: Key,
  other: Key,
  transaction: Transaction,
): Promise<void> {
  if (target.table !== table) return
  const [column] = table.primaryKey
  await transaction.select({
    table,
    columns: [column!],
    where: { op: 'in', column: column!, values: [key, other] },
    order: [{ column: column!, descending: false }],
    lock: 'shared',
  })
}

/** The record has to be live and the caller allowed to touch it by `operation`; held, it is not deleted meanwhile. */
async function assertLive(
  access: Access,
  operation: 'get' | 'update',
  key: Key,
  transaction: Transaction,
  lock: 'shared' | false = 'shared',
): Promise<Row> {
  const { name, table } = access.resource
  const [row] = await transaction.select({
    table,
    columns: table.columns,
    where: liveRow(access.resource, key),
    order: [],
    limit: 1,
    lock,
  })
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no ${name} '${String(key)}'` })
  const neighbours = neighboursIfAny(row, access.reaching(operation), {
    reader: transaction,
    access,
    rights: 'author',
  })
  access.assertRecord(operation, row, undefined, neighbours && (await neighbours))
  await assertReachable(access, operation, key, transaction)
  return row
}

/** What is written of a link, inside its transaction. */
interface Writing {
  readonly linking: Linking
  readonly call: Call
  readonly transaction: Transaction
  readonly kind: 'linked' | 'unlinked'
  /** The record on this side. */
  readonly record: Row
  readonly key: Key
  readonly other: Key
}

/** A link that was made or taken away. */
interface Linked extends Pick<Writing, 'kind' | 'key' | 'other'> {
  /** Where blocks hear of it. */
  readonly change: Change | undefined
}

/** Writes a link with the steps of the blocks that hear of it; undefined where it is as it should be already. */
async function recorded(writing: Writing, write: () => Promise<number>): Promise<Linked | undefined> {
  const { linking, transaction, kind, key, other } = writing
  if ((await write()) === 0) return undefined
  const steps = linking.writer.linking(linking.resource)
  if (steps === undefined) return { kind, key, other, change: undefined }
  const change = changeOfLink(writing)
  await steps.beforeWrite(change, transaction)
  change.record = change.previous
  await steps.afterWrite(change, transaction)
  return { kind, key, other, change }
}

function changeOfLink({ linking, call, kind, record, key, other }: Writing): Change {
  const link = { relationship: linking.relationship.name, key: other }
  const change = changeOf(linking, call, kind, { body: undefined, key, link })
  change.previous = record
  beginWarnings(change)
  return change
}

const warnedIn = (linked: Linked | undefined): Warnings =>
  linked?.change === undefined ? new Warnings() : warnedBy(linked.change)

/** What is told once a link is committed. */
function finish(linked: Linked | undefined, linking: Linking, call: Call): void {
  if (linked === undefined) return
  const { kind, key, other, change } = linked
  if (change !== undefined) tellWarnings(change)
  tell(kind, linking, call, key, other)
  for (const work of change?.afterCommit ?? []) work()
}

function tell(
  event: 'linked' | 'unlinked',
  { model, resource, runtime, relationship }: Linking,
  { caller, requestId }: Call,
  key: Key,
  other: Key,
): void {
  runtime.bus.emit(`${resource.actionPrefix}${event}`, {
    id: key,
    domain: model.name,
    resource: resource.name,
    action: event,
    relationship: relationship.name,
    record: { [relationship.otherKey]: other },
    previous: null,
    actor: { id: caller.id, username: caller.username },
    at: new Date(runtime.env.now()).toISOString(),
    requestId,
  })
}
