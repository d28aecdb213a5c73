import { type Call, ignoredBy } from '@svc/kernel'
import type { Reader, Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import { type CsvLine, csvLines, lineOf } from '../present/csv.ts'
import { presentRecord } from '../present/record.ts'
import { simplifying } from '../present/simplified.ts'
import { type ListPlan, planList } from '../query/plan.ts'
import { neighboursOf } from '../reach/neighbours.ts'
import type { Runtime } from '../runtime.ts'
import { csvAnswer } from './csv-answer.ts'
import { accessOf, bindRecord, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'
import { belongsTo, parentOf } from './parent.ts'
import { readParts } from './read-parts.ts'

/** How many rows are read, and leave, at a time. */
const CHUNK = 200

const PAGING = ['page', 'limit', 'offset', 'cursor']

/** What is done with records besides listing them, and with what they are worked out from. */
const ALSO = ['export'] as const

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
      const within = { where: belongsTo(await parentOf(around, input, call)), also: ALSO }
      const planned = planList(query, access, ignoredBy(call.request?.meta('prefer'), call.warn), within)
      // A column is for all rows alike: what a caller may read in records of its own alone has none.
      const fields = planned.fields
        .filter(({ name }) => access.readable(name) || access.masked.has(name))
        .filter(({ overrides }) => overrides === undefined || query['fields'] !== undefined)
      const plan = { ...planned, fields }
      const isWhole = PAGING.every((name) => query[name] === undefined)
      const chunks = isWhole ? runtime.store.stream(withoutRange(plan), CHUNK) : onePart(plan, runtime)
      const header = fields.map(({ name }) => name)
      const text = csvLines(header, linesOf(chunks, plan, access, runtime.store))
      return csvAnswer(text, `${resource.api.segment}.csv`, call)
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

/** The lines of rows as they are read. */
async function* linesOf(
  rows: AsyncIterable<readonly Row[]>,
  { fields, tolerance }: Pick<ListPlan, 'fields' | 'tolerance'>,
  access: Access,
  reader: Reader,
): AsyncGenerator<readonly CsvLine[]> {
  const simplify = simplifying(fields, tolerance, access)
  const reach = access.reachOf(fields)
  for await (const chunk of rows) {
    const found =
      reach.size === 0
        ? []
        : await neighboursOf(chunk, reach, { reader, access, rights: 'caller', also: ALSO })
    const shown = chunk.map((row, at) => presentRecord(row, fields, access, found[at]))
    yield (simplify ? await simplify(shown, chunk) : shown).map((row) => lineOf(row, fields))
  }
}
