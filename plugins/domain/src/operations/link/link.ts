import { type Action, type Call, errors, isoTime, Reply } from '@svc/kernel'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { Access } from '../../access/access.ts'
import { actionAccess } from '../../access/operation.ts'
import type { BelongsToMany } from '../../model/relationship.ts'
import type { Resource } from '../../model/resource.ts'
import { neighboursIfAny } from '../../reach/neighbours.ts'
import { liveRow } from '../../query/live.ts'
import { assertReachable } from '../../query/reachable.ts'
import { isObject } from '../batch.ts'
import { finding } from '../../speech/sentences.ts'
import { malformed } from '../../write/refuse.ts'
import { ownValue } from '../../write/values.ts'
import { sidesOf } from '../embed.ts'
import { keyFrom, keyOf } from '../../query/key.ts'
import {
  accessOf,
  bindRecord,
  notesOf,
  readingOf,
  type RecordInput,
  routesOf,
  type Surroundings,
} from '../operation.ts'
import { idempotent } from '../idempotent.ts'
import { assertAbove } from '../parent.ts'
import { finish, type Key, type Linked, type Linking, warnedIn, writeLink } from './write.ts'

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
        const at = timestamps ? { createdAt: isoTime(runtime.env.now()) } : {}
        let linked: Linked | undefined
        const reply = await transact(
          async (transaction) => {
            linked = undefined
            await assertNear(linking, key, call, transaction)
            const other = keyOf(target, targetIn(input.data, linking, call))
            await holdEnds(linking, key, other, transaction)
            const record = await assertLive(accessOf(linking, call), 'update', key, transaction)
            const far = Access.of(target, call.caller, runtime.env.now)
            await assertLive(far, 'get', other, transaction)
            await assertReachable(far, 'update', other, transaction)
            const pair = pairOf(relationship, key, other)
            const values = { ...pair, ...at }
            linked = await writeLink({ linking, call, transaction, kind: 'linked', record, key, other }, () =>
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
  const { name, junction } = relationship
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
          named === undefined ? keyOf(target, targetIn(input.data, linking, call)) : keyFrom(target, named)
        const far = Access.of(target, call.caller, runtime.env.now)
        for (const operation of ['get', 'update'] as const)
          await assertReachable(far, operation, other, transaction)
        const where = isPair(relationship, key, other)
        const written = { linking, call, transaction, kind: 'unlinked', record, key, other } as const
        return {
          other,
          unlinked: await writeLink(written, () => transaction.remove({ table: junction, where })),
        }
      })
      finish(unlinked, linking, call)
      return { unlinked: true, ...pairOf(relationship, key, other) }
    },
  }
}

function targetIn(data: unknown, linking: Linking, call: Call): unknown {
  const { otherKey } = linking.relationship
  const value = isObject(data) ? ownValue(data, otherKey) : undefined
  if (value !== undefined && value !== null) return value
  throw malformed(readingOf(linking, call), [{ ...finding('required'), field: otherKey }])
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
