import { NO_REACH } from '@svc/expression/contract'
import {
  type AppError,
  type Arrival,
  type Call,
  errors,
  type Ignored,
  ignoredBy,
  JsonText,
  Reply,
} from '@svc/kernel'
import {
  type Column,
  type Condition,
  type Row,
  type SelectPlan,
  type Table,
  TEXT,
  type Value,
} from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import type { Field } from '../model/field.ts'
import { VERSION } from '../model/table.ts'
import { contentTag, etag, names } from '../present/etag.ts'
import { presentRecord } from '../present/record.ts'
import { selection } from '../query/fields.ts'
import { type Included, includes, isNothing, textColumns } from '../query/include.ts'
import { allOf, isKey } from '../query/live.ts'
import { assertReachable } from '../query/reachable.ts'
import type { Parent } from '../write/change.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import { withValues, workedFields } from '../reach/worked.ts'
import { reachableRows } from '../query/scope.ts'
import { withStarts } from '../query/plan.ts'
import { belongsTo, parentOf } from './parent.ts'
import { embed, embedInTexts } from './embed.ts'
import { keyFrom } from '../query/key.ts'
import type { Reading } from './reading.ts'
import {
  accessOf,
  bindRecord,
  notesOf,
  type Operation,
  type RecordInput,
  routesOf,
  type Surroundings,
} from './operation.ts'

/** Answers one record. */
export const get: Operation = (around) => {
  const { resource, runtime } = around
  return {
    name: `${resource.actionPrefix}get`,
    summary: `Get one ${resource.name}`,
    access: actionAccess(resource, 'get'),
    routes: routesOf(resource, 'GET', '/:id', ['get']),
    bind: bindRecord,
    notes: notesOf(around, 'get'),
    handle(input: RecordInput, call) {
      const { id, query = NO_QUERY } = input
      const access = accessOf(around, call)
      const key = keyFrom(resource, id)
      const ignored = ignoredBy(call.request?.meta('prefer'), call.warn)
      for (const name in query) if (!KNOWN.has(name)) ignored('query', name)
      const plan = planOf(query, access, ignored)
      const parent = parentOf(around, input, call)
      const where = [isKey(resource, key), ...reachableRows(query['scope'], access, ignored)]
      const left = access.left('get')
      const asking = { around, call, access, key, plan, where, left }
      // Most records are nobody's secret and below no other: one that is there at once is answered at once.
      if (parent !== undefined || left.length > 0 || access.reaching('get').size > 0)
        return judged(asking, parent)
      const rows = runtime.store.selectSync?.(selectOf(asking, where))
      if (rows === undefined) return judged(asking, undefined)
      const [row] = rows
      if (row === undefined) return absent(asking)
      access.assertRecord('get', row)
      return shown(asking, row)
    },
  }
}

/** One record that somebody asks for. */
interface Asking {
  readonly around: Surroundings
  readonly call: Call
  readonly access: Access
  readonly key: Key
  readonly plan: Plan
  /** Which record it is. */
  readonly where: readonly Condition[]
  /** What blocks leave of all records. */
  readonly left: readonly Condition[]
}

type Key = Exclude<Value, null>

const selectOf = ({ around, call, plan }: Asking, where: readonly Condition[]): SelectPlan =>
  plan.select(around.resource.table, where.length === 1 ? where[0]! : allOf(where), call.request?.arrival)

/** Answers the record, once it is known to be there for the caller. */
async function judged(asking: Asking, parent: Promise<Parent> | undefined): Promise<Reply> {
  const { around, access, key, left } = asking
  const { store } = around.runtime
  const where = parent === undefined ? asking.where : [...asking.where, ...belongsTo(await parent)]
  const read = async (all: readonly Condition[]) => (await store.select(selectOf(asking, all)))[0]
  const free = await read([...where, ...left])
  // One that is kept from everybody is read all the same: who may not know of it hears that first.
  const row = found(asking, free ?? (left.length === 0 ? undefined : await read(where)))
  const neighbours = neighboursIfAny(row, access.reaching('get'), { reader: store, access, rights: 'author' })
  access.assertRecord('get', row, undefined, neighbours && (await neighbours))
  if (free === undefined) await assertReachable(access, 'get', key, store)
  return shown(asking, row)
}

function found(asking: Asking, row: Row | undefined): Row {
  if (row !== undefined) return row
  throw absent(asking)
}

const absent = ({ around: { resource }, key }: Asking): AppError =>
  errors.NOT_FOUND({ message: `There is no ${resource.name} '${key}'` })

const shown = ({ around, call, plan, access }: Asking, row: Row): Reply | Promise<Reply> =>
  plan.isAsRead ? answer(call, row, plan, access) : presented(around, call, row, plan, access)

const NO_QUERY: Readonly<Record<string, string>> = Object.freeze({})

/** Answers a record that leaves as the store wrote it. */
const answer = (call: Call, row: Row, { fields }: Plan, access: Access): Reply => {
  const data = new JsonText(String(row[TEXT]))
  return tagged(call, data, etag(row, fields, access, undefined))
}

/** Answers a record of which something is worked out, left out or added first. */
async function presented(
  around: Surroundings,
  call: Call,
  row: Row,
  plan: Plan,
  access: Access,
): Promise<Reply> {
  const { included, fields, text, worked } = plan
  const reach = worked ? NO_REACH : access.reachOf(fields)
  const reached = neighboursIfAny(row, reach, { reader: around.runtime.store, access, rights: 'caller' })
  const neighbours = reached && (await reached)
  const values = worked?.valuesOf(row)
  const whole = values === undefined ? row : text ? withValues(row, values) : { ...row, ...values }
  const embedding = { ...around, arrival: call.request?.arrival, warn: call.warn }
  const data =
    text === undefined
      ? await withEmbedded(embedding, included, row, presentRecord(whole, fields, access, neighbours), access)
      : new JsonText(
          isNothing(included) ? String(whole[TEXT]) : await embeddedText(embedding, included, whole, access),
        )
  const tag = isNothing(included)
    ? etag(row, fields, access, data instanceof JsonText ? values : data)
    : contentTag(textOf(data))
  return tagged(call, data, tag)
}

function tagged(call: Call, data: object, tag: string): Reply {
  const known = call.request?.meta('if-none-match')
  if (known !== undefined && names(known, tag)) return new Reply({ status: 304, headers: { ETag: tag } })
  return new Reply({ headers: { ETag: tag }, data })
}

/** What is read of a record for one caller. */
interface Plan {
  readonly included: Included
  readonly fields: readonly Field[]
  /** The columns that leave as text; undefined where the record cannot. */
  readonly text: readonly Column[] | undefined
  readonly worked: ReturnType<typeof workedFields>
  /** Whether the record is answered as the store writes it. */
  readonly isAsRead: boolean
  select(table: Table, where: Condition, arrival: Arrival | undefined): SelectPlan
}

/** Plans of requests that ask for nothing in particular, which most are; an access is that of one caller. */
const plain = new WeakMap<Access, Plan>()

function planOf(query: Readonly<Record<string, string>>, access: Access, ignored: Ignored): Plan {
  if (query['fields'] !== undefined || query['include'] !== undefined) return makePlan(query, access, ignored)
  const known = plain.get(access)
  if (known !== undefined) return known
  const made = makePlan(query, access, ignored)
  // What the store works out is asked at one moment, in which a permission may depend on the time.
  if (made.worked === undefined) plain.set(access, made)
  return made
}

function makePlan(query: Readonly<Record<string, string>>, access: Access, ignored: Ignored): Plan {
  const included = includes(query['include'], access, ignored, query['fields'])
  const fields = selection(query['fields'], access, ignored, undefined, included)
  const deciding = access.deciding('get')
  const worked = workedFields(fields, access)
  const before = worked ? worked.before : fields
  const text = before && textColumns(before, included, access)
  const shown = withStarts(text === undefined ? access.columns(fields) : NONE, included, access)
  const read = {
    columns: besides(shown, deciding),
    ...(text && { text }),
    ...(worked && { worked: worked.worked }),
    order: NONE_ORDERED,
  }
  const isAsRead = text !== undefined && worked === undefined && isNothing(included)
  return {
    included,
    fields,
    text,
    worked,
    isAsRead,
    select: isAsRead
      ? (table, where, arrival) => ({
          table,
          columns: read.columns,
          text,
          where,
          order: NONE_ORDERED,
          arrival,
        })
      : (table, where, arrival) => ({ ...read, table, where, arrival }),
  }
}

const KNOWN: ReadonlySet<string> = new Set(['fields', 'include', 'scope'])

const NONE: readonly Column[] = []
const NONE_ORDERED: SelectPlan['order'] = []
const VERSION_ALONE: readonly Column[] = [VERSION]

/** What is read of a record: what is shown of it, what decides about it, and its version. */
const besides = (shown: readonly Column[], deciding: readonly Column[]): readonly Column[] =>
  shown.length === 0 && deciding.length === 0 ? VERSION_ALONE : [...new Set([...shown, ...deciding, VERSION])]

async function embeddedText(reading: Reading, included: Included, row: Row, access: Access) {
  const [text = ''] = await embedInTexts(reading, included, [row], access)
  return text
}

const textOf = (data: object): string => (data instanceof JsonText ? data.text : JSON.stringify(data))

async function withEmbedded(reading: Reading, included: Included, row: Row, shown: Row, access: Access) {
  const [data = shown] = await embed(reading, included, [row], [shown], access)
  return data
}
