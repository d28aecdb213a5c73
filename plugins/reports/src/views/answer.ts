import { csvAnswer, csvLines, type Data, type Locale, type Query } from '@svc/domain/contract'
import { type Call, ignoredBy } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { readRequest, type ViewRequest } from './request.ts'
import { askedRows } from './rows.ts'
import { cellsOf, columnFacts, fieldsOf, headings, itemOf, shownColumns, textsOf, valuesOf } from './shown.ts'
import type { View, ViewColumn } from './view.ts'

/** A view as one request sees it. */
interface Seen {
  readonly view: View
  readonly columns: readonly ViewColumn[]
  readonly request: ViewRequest
  readonly call: Call
  readonly data: Data
  readonly locale: Locale
  now(): number
}

/** Answers a request for a view. Throws INVALID_QUERY, UNAUTHORIZED and FORBIDDEN. */
export async function answerView(view: View, query: Query, call: Call, data: Data, now: () => number) {
  const { caller } = call
  data.access(view.source, caller).assert('list')
  const columns = shownColumns(view, data, caller)
  const request = readRequest(query, columns, ignoredBy(call.request?.meta('prefer'), call.warn))
  const locale = data.model.localizer.locale(call.request?.meta('accept-language'))
  const seen = { view, columns, request, call, data, locale, now }
  return request.format === 'csv' ? csvOf(seen) : pageOf(seen)
}

/** The question for the records of a view. */
function asked(
  { view, columns, request: { order }, call: { caller }, data, now }: Seen,
  highlights: boolean,
) {
  const rows = askedRows(view, { data, caller, now })
  return {
    ...rows,
    order: order.length > 0 ? order : view.order,
    fields: fieldsOf(columns),
    values: valuesOf(columns, { highlights }),
  }
}

const inScope = ({ scope }: View): Query => (scope === undefined ? {} : { scope })

async function pageOf(seen: Seen): Promise<object> {
  const { view, columns, request, call, data, locale } = seen
  const query = {
    ...inScope(view),
    page: '1',
    limit: String(view.defaultLimit),
    ...request.part,
  }
  const { rows, facts } = await data.read(view.source, { ...asked(seen, true), query }, call)
  const isKeyShown = data.access(view.source, call.caller).readable(view.source.key.name) !== undefined
  const write = request.isFormatted ? textsOf(columns, data, locale) : undefined
  const items = rows.map((row): Row => {
    const item = itemOf(row, view, columns, isKeyShown)
    if (write === undefined) return item
    const texts = write(cellsOf(row, columns))
    return { ...item, _formatted: Object.fromEntries(columns.map(({ name }, at) => [name, texts[at] ?? ''])) }
  })
  return { view: view.name, columns: columnFacts(columns, data.model.localizer, locale), items, ...facts }
}

function csvOf(seen: Seen) {
  const { view, columns, data, call, locale, request } = seen
  const question = { ...asked(seen, false), isExport: true }
  const isWhole = Object.keys(request.part).length === 0
  const rows = isWhole
    ? data.stream(view.source, { ...question, query: inScope(view) }, call)
    : onePart(
        {
          ...question,
          query: { ...inScope(view), page: '1', limit: String(view.defaultLimit), ...request.part },
        },
        seen,
      )
  const header = headings(columns, data.model.localizer, locale)
  return csvAnswer(csvLines(header, linesOf(rows, columns)), `${view.name}.csv`, call)
}

async function* onePart(question: Parameters<Data['read']>[1], { view, data, call }: Seen) {
  yield (await data.read(view.source, question, call)).rows
}

async function* linesOf(rows: AsyncIterable<readonly Row[]>, columns: readonly ViewColumn[]) {
  for await (const part of rows) yield part.map((row) => cellsOf(row, columns))
}
