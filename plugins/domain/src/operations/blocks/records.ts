import { type Call, errors, unlessRefused } from '@svc/kernel'
import type { Column, Condition, Value } from '@svc/store/contract'
import type { Listing, Records, Subject } from '../../contract/records.ts'
import type { Guarded } from '../../model/permission.ts'
import type { Resource } from '../../model/resource.ts'
import { keyFrom } from '../../query/key.ts'
import { neighboursIfAny } from '../../reach/neighbours.ts'
import { accessOf, changeOf, type RecordInput, replyWith, type Surroundings } from '../operation.ts'
import { idempotent } from '../idempotent.ts'
import { belongsTo, parentOf } from '../parent.ts'
import { allOf } from '../../query/live.ts'
import { assertReachable } from '../../query/reachable.ts'
import { listRows } from '../list-rows.ts'

/** Makes the door through which the operations of blocks reach the records of a resource. */
export function createRecords(around: Surroundings): Records {
  const { resource, runtime, writer } = around
  const { store } = runtime
  return {
    resource,
    reader: store,
    data: around.data,
    about: (input, call, operation) =>
      input.id === undefined && operation === undefined
        ? collection(around, input, call)
        : find(around, input, call, operation ?? 'get'),
    async list({ subject, table, recordId, ...listing }, { query = {} }, call) {
      const about = subject.rows(recordId)
      const asked = { ...listing, query, where: [about, ...listing.where] }
      const answer = await listRows(table, asked, call, store)
      if (subject.key !== undefined && subject.row === undefined)
        await assertKnown(subject.key, { table, where: about }, around)
      return answer
    },
    reinstate: (kind, input, outer, earlier) =>
      idempotent(around, `${resource.actionPrefix}${kind}`, input, outer, async (transact, call) => {
        await find(around, input, call, 'update')
        const key = keyFrom(resource, input.id)
        const parent = await parentOf(around, input, call)
        const change = changeOf(around, call, kind, { body: await earlier(key), key, parent })
        const answer = writer.answer(change, transact, (made, transaction) =>
          replyWith(made, 200, transaction),
        )
        return unlessRefused(await answer)
      }),
  }
}

async function find(
  around: Surroundings,
  input: RecordInput,
  call: Call,
  operation: Guarded,
): Promise<Subject> {
  const { resource, runtime } = around
  const access = accessOf(around, call)
  const reads = access.deciding(operation)
  const key = keyFrom(resource, input.id)
  const parent = await parentOf(around, input, call)
  const [row] = await runtime.store.select({
    table: resource.table,
    columns: [...new Set([resource.key.column!, ...ownerOf(resource), ...reads])],
    where: allOf([{ op: 'eq', column: resource.key.column!, value: key }, ...belongsTo(parent)]),
    order: [],
    limit: 1,
  })
  // Of a record that is gone nothing is known but its key: whoever needs more of it to pass does not.
  const isUndecided = row === undefined && (reads.length > 0 || parent !== undefined)
  if (isUndecided) throw unknown(resource, key)
  const reading = { reader: runtime.store, access, rights: 'author' } as const
  const neighbours = row && neighboursIfAny(row, access.reaching(operation), reading)
  access.assertRecord(operation, row ?? {}, undefined, neighbours && (await neighbours))
  if (operation !== 'create') await assertReachable(access, operation, key, runtime.store)
  return { access, key, row, rows: (column) => ({ op: 'eq', column, value: key }) }
}

async function collection(around: Surroundings, input: RecordInput, call: Call): Promise<Subject> {
  const access = accessOf(around, call)
  const { table, key } = around.resource
  const parent = await parentOf(around, input, call)
  const where = allOf([access.rows('list'), ...belongsTo(parent)])
  return {
    access,
    key: undefined,
    row: undefined,
    rows: (recordId) =>
      where.op === 'always' ? where : { op: 'exists', table, on: [[key.column!, recordId]], where },
  }
}

const ownerOf = ({ ownerField }: Resource): readonly Column[] =>
  ownerField?.column ? [ownerField.column] : []

async function assertKnown(
  key: Exclude<Value, null>,
  { table, where }: Pick<Listing, 'table'> & { readonly where: Condition },
  { resource, runtime }: Surroundings,
): Promise<void> {
  const rows = await runtime.store.select({ table, columns: table.primaryKey, where, order: [], limit: 1 })
  if (rows.length === 0) throw unknown(resource, key)
}

const unknown = ({ name }: Resource, key: Value) =>
  errors.NOT_FOUND({ message: `There is no ${name} '${String(key)}'` })
