import { type Call, Reply } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import { csvHeader, csvLine } from '../present/csv.ts'
import { presentRecord } from '../present/record.ts'
import { ignoredBy } from '../query/ignored.ts'
import { type ListPlan, planList, walking } from '../query/plan.ts'
import type { Runtime } from '../runtime.ts'
import { accessOf, bindRecord, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'
import { belongsTo, parentOf } from './parent.ts'
import { readParts, walk } from './walk.ts'

/** How many rows are read, and leave, at a time. */
const CHUNK = 500

const PAGING = ['page', 'limit', 'offset', 'cursor']

/** Answers the records of a list as CSV, all of them unless a part is asked for. */
export const exportRecords: Operation = (around) => {
  const { resource, runtime } = around
  return {
    name: `${resource.actionPrefix}export`,
    summary: `Export ${resource.plural} as CSV`,
    access: actionAccess(resource, 'list'),
    routes: routesOf(resource, 'GET', '/export', ['list']),
    bind: bindRecord,
    notes: notesOf(around, 'export'),
    async handle(input: RecordInput, call) {
      const access = accessOf(around, call)
      const query = withoutInclude(input.query ?? {}, call)
      const within = { where: belongsTo(parentOf(resource, input)) }
      const plan = planList(query, access, ignoredBy(call.request?.meta('prefer'), call.warn), within)
      const isWhole = PAGING.every((name) => query[name] === undefined)
      const chunks = isWhole
        ? walk(walking(withoutRange(plan)), CHUNK, runtime.store)
        : onePart(plan, runtime)
      // What is wrong with the query is told before the answer begins.
      const first = await chunks.next()
      return new Reply({
        headers: { 'Content-Disposition': `attachment; filename="${resource.api.segment}.csv"` },
        content: {
          type: 'text/csv; charset=utf-8',
          body: ReadableStream.from(encoded(first, chunks, plan, access)),
        },
      })
    },
  }
}

/** A line has no room for other records. */
function withoutInclude({ include, ...query }: Readonly<Record<string, string>>, call: Call) {
  if (include !== undefined) ignoredBy(call.request?.meta('prefer'), call.warn)('include', include)
  return query
}

function withoutRange({ select: { limit: _limit, offset: _offset, ...select } }: ListPlan) {
  return select
}

async function* onePart(
  { select, parts, page }: ListPlan,
  { store }: Runtime,
): AsyncGenerator<readonly Row[]> {
  yield page.by === 'cursor' ? await readParts(select, parts, page.limit, store) : await store.select(select)
}

const encoder = new TextEncoder()

async function* encoded(
  first: IteratorResult<readonly Row[], unknown>,
  rest: AsyncIterable<readonly Row[]>,
  { fields }: ListPlan,
  access: Access,
): AsyncGenerator<Uint8Array> {
  const lines = (rows: readonly Row[]) =>
    encoder.encode(rows.map((row) => csvLine(presentRecord(row, fields, access), fields)).join(''))
  yield encoder.encode(csvHeader(fields))
  if (first.done === true) return
  yield lines(first.value)
  for await (const rows of rest) yield lines(rows)
}
