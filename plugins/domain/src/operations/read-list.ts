import { NO_REACH } from '@svc/expression/contract'
import { type Call, ignoredBy, Reply } from '@svc/kernel'
import { assertFits, type Reader, type Row, type SelectPlan } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { type ListFacts, listOfTexts, pageFacts, partFacts } from '../present/list.ts'
import { paced } from '../present/paced.ts'
import { presentRecord } from '../present/record.ts'
import { simplifying } from '../present/simplified.ts'
import { positionOf, writeCursor } from '../query/cursor.ts'
import { textColumns } from '../query/include.ts'
import { type ListPlan, planList, type Within, withStarts } from '../query/plan.ts'
import { neighboursOf } from '../reach/neighbours.ts'
import { type WorkedFields, withValues, workedFields } from '../reach/worked.ts'
import type { Runtime } from '../runtime.ts'
import { embed, embedInTexts } from './embed.ts'
import { readParts } from './read-parts.ts'
import type { Reading } from './reading.ts'

/** Answers the list payload of a query on the resource of `access`. */
export async function readList(
  { model, runtime }: Pick<Reading, 'model' | 'runtime'>,
  access: Access,
  query: Readonly<Record<string, string>>,
  call: Call,
  within?: Within,
): Promise<object> {
  const planned = planList(query, access, ignoredBy(call.request?.meta('prefer'), call.warn), within)
  const worked = workedIn(planned, access)
  const plan = inText(planned, access, worked)
  const arrival = call.request?.arrival
  const { rows, facts } = await readPart({ ...plan, select: { ...plan.select, arrival } }, runtime)
  const reading = { model, runtime, arrival, warn: call.warn }
  if (plan.select.text === undefined) {
    const shown = await presented(reading, access, plan, rows, worked)
    return new Reply({ data: listOfTexts(await textsOf(shown), facts) })
  }
  const whole = worked ? rows.map((row) => withValues(row, worked.valuesOf(row))) : rows
  return new Reply({ data: listOfTexts(await embedInTexts(reading, plan.includes, whole, access), facts) })
}

/** Records as text. What they are worked out from may stand in many of them, so that it is looked here how long they are. */
function textsOf(records: readonly Row[]): Promise<readonly string[]> {
  let length = 0
  return paced(records, (record) => {
    const text = JSON.stringify(record)
    assertFits((length += text.length))
    return text
  })
}

/** What the store works out for a list; nothing where it sorts by what it works out itself. */
const workedIn = ({ fields, select: { order } }: ListPlan, access: Access): WorkedFields | undefined =>
  order.some(({ by }) => by !== undefined) ? undefined : workedFields(fields, access)

/** Records as their caller sees them, with what they include; `worked` is what the store has worked out of them. */
export const presented = async (
  reading: Reading,
  access: Access,
  { fields, includes, tolerance }: Pick<ListPlan, 'fields' | 'includes' | 'tolerance'>,
  rows: readonly Row[],
  worked?: WorkedFields,
): Promise<readonly Row[]> => {
  const reach = worked ? NO_REACH : access.reachOf(fields)
  const { runtime, also = [] } = reading
  const found =
    reach.size === 0
      ? []
      : await neighboursOf(rows, reach, { reader: runtime.store, access, rights: 'caller', also })
  const known = worked ? rows.map((row) => ({ ...row, ...worked.valuesOf(row) })) : rows
  const simplify = simplifying(fields, tolerance, access)
  const shown = await paced(known, (row, at) => presentRecord(row, fields, access, found[at]))
  return embed(reading, includes, rows, simplify ? await simplify(shown, known) : shown, access)
}

/** Reads the part of a list that its plan is about, and what the list says of it. */
export async function readPart(
  { select, parts, page, count }: ListPlan,
  { store }: Runtime,
): Promise<{ readonly rows: readonly Row[]; readonly facts: ListFacts }> {
  if (page.by === 'cursor') return readFollowing(select, parts, page.limit, store)
  const rows = await store.select(select)
  const total =
    page.by === 'page' ? await totalOf(rows.length, select, page.limit, { store, count }) : undefined
  return { rows, facts: pageFacts(rows.length, page, total) }
}

/** Reads records as text where they can leave as they are; all else that is read of them is where they stand. */
function inText(list: ListPlan, access: Access, worked: WorkedFields | undefined): ListPlan {
  const plan = worked ? { ...list, select: { ...list.select, worked: worked.worked } } : list
  const fields = worked ? worked.before : plan.fields
  if (simplifying(plan.fields, plan.tolerance, access)) return plan
  const text = fields && textColumns(fields, plan.includes, access)
  if (text === undefined) return plan
  const sorted =
    plan.page.by === 'cursor' ? plan.select.order.flatMap(({ column, by }) => (by ? [] : column)) : []
  const columns = withStarts([...new Set(sorted)], plan.includes, access)
  return { ...plan, select: { ...plan.select, columns, text } }
}

/** One row more than asked for tells whether there are more. */
async function readFollowing(select: SelectPlan, parts: ListPlan['parts'], limit: number, reader: Reader) {
  const { order } = select
  const read = await readParts(select, parts, limit + 1, reader)
  const rows = read.slice(0, limit)
  const last = read.length > limit ? rows.at(-1) : undefined
  const nextCursor = last ? writeCursor(positionOf(last, order), order) : null
  return { rows, facts: partFacts(rows.length, nextCursor) }
}

/** A page that is not full tells the total by itself. */
async function totalOf(
  read: number,
  { offset = 0 }: SelectPlan,
  limit: number,
  { store, count }: { readonly store: Reader; readonly count: ListPlan['count'] },
): Promise<number> {
  if (read < limit && (read > 0 || offset === 0)) return offset + read
  return store.count(count)
}
