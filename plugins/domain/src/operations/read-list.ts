import { type Call, Reply, type Warning } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import type { Model } from '../model/model.ts'
import { type ListFacts, listOf, listOfTexts, pageFacts, partFacts } from '../present/list.ts'
import { presentRecord } from '../present/record.ts'
import { positionOf, writeCursor } from '../query/cursor.ts'
import { ignoredBy } from '../query/ignored.ts'
import { textColumns } from '../query/include.ts'
import { type ListPlan, planList, type Within, withStarts } from '../query/plan.ts'
import type { Runtime } from '../runtime.ts'
import { embed, embedInTexts } from './embed.ts'
import { readParts } from './read-parts.ts'

/** What reading needs of the world, whichever resource is read. */
export interface Reading {
  readonly model: Model
  readonly runtime: Runtime
  warn(warning: Warning): void
}

/** Answers the list payload of a query on the resource of `access`. */
export async function readList(
  { model, runtime }: Pick<Reading, 'model' | 'runtime'>,
  access: Access,
  query: Readonly<Record<string, string>>,
  call: Call,
  within?: Within,
): Promise<object> {
  const planned = planList(query, access, ignoredBy(call.request?.meta('prefer'), call.warn), within)
  const plan = inText(planned, access)
  const reading = { model, runtime, warn: call.warn }
  const { page } = plan
  if (page.by === 'cursor') return readPart(reading, access, plan, page.limit)
  const rows = await runtime.store.select(plan.select)
  const total = page.by === 'page' ? await totalOf(rows.length, plan, page.limit, runtime) : undefined
  return listed(reading, access, plan, rows, pageFacts(rows.length, page, total))
}

/** Reads records as text where they can leave as they are; all else that is read of them is where they stand. */
function inText(plan: ListPlan, access: Access): ListPlan {
  const text = textColumns(plan.fields, plan.includes, access)
  if (text === undefined) return plan
  const sorted = plan.page.by === 'cursor' ? plan.select.order.map(({ column }) => column) : []
  const columns = withStarts([...new Set(sorted)], plan.includes, access)
  return { ...plan, select: { ...plan.select, columns, text } }
}

/** One row more than asked for tells whether there are more. */
async function readPart(reading: Reading, access: Access, plan: ListPlan, limit: number): Promise<object> {
  const { order } = plan.select
  const read = await readParts(plan.select, plan.parts, limit + 1, reading.runtime.store)
  const rows = read.slice(0, limit)
  const last = read.length > limit ? rows.at(-1) : undefined
  const nextCursor = last ? writeCursor(positionOf(last, order), order) : null
  return listed(reading, access, plan, rows, partFacts(rows.length, nextCursor))
}

async function listed(
  reading: Reading,
  access: Access,
  { fields, includes, select }: ListPlan,
  rows: readonly Row[],
  facts: ListFacts,
): Promise<object> {
  if (select.text !== undefined)
    return new Reply({ data: listOfTexts(await embedInTexts(reading, includes, rows, access), facts) })
  const shown = rows.map((row) => presentRecord(row, fields, access))
  return listOf(await embed(reading, includes, rows, shown, access), facts)
}

/** A page that is not full tells the total by itself. */
async function totalOf(
  read: number,
  { select, count }: ListPlan,
  limit: number,
  { store }: Runtime,
): Promise<number> {
  const { offset = 0 } = select
  if (read < limit && (read > 0 || offset === 0)) return offset + read
  return store.count(count)
}
