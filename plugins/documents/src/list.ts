import { type Data, listItems, momentIn, type Query } from '@svc/domain/contract'
import { type Call, errors } from '@svc/kernel'
import type { Condition, Order, Row } from '@svc/store/contract'
import { DOCUMENT, documentOf, documents } from './table.ts'
import { type Templates, viewable } from './view.ts'
import { viewingOf } from './viewing.ts'

/** Query parameters that ask for one value. */
const EXACT = {
  resource: DOCUMENT.resource,
  recordId: DOCUMENT.recordId,
  template: DOCUMENT.template,
  templateVersion: DOCUMENT.templateVersion,
  format: DOCUMENT.format,
  generatedBy: DOCUMENT.generatedBy,
} as const

const SORTED = {
  generatedAt: DOCUMENT.generatedAt,
  templateName: DOCUMENT.template,
  filename: DOCUMENT.filename,
  format: DOCUMENT.format,
  fileSize: DOCUMENT.size,
} as const

/** How many documents a page has unless the query says otherwise. */
export const LIMIT = 50
const PARAMETERS: readonly string[] = [...Object.keys(EXACT), 'after', 'before', 'sort']

/**
 * One part of the documents that a caller may view: by one statement where templates and the rights on whole resources decide, by looking at
 * the records otherwise. Throws INVALID_QUERY.
 */
export async function listDocuments(
  query: Query,
  call: Call,
  data: Data,
  templates: Templates,
  now: () => number,
): Promise<object> {
  const of: readonly Condition[] = [
    { op: 'eq', column: DOCUMENT.domain, value: data.model.name },
    ...Object.entries(EXACT).flatMap(([name, column]): readonly Condition[] => {
      const value = query[name]
      return value === undefined ? [] : [{ op: 'eq', column, value }]
    }),
    ...bound('after', 'gt', query),
    ...bound('before', 'lt', query),
  ]
  const order = orderOf(query['sort'])
  const { certain, doubtful } = viewingOf(call.caller, templates, data)
  if (!(await isAny([...of, doubtful], data)))
    return data.list(
      documents,
      { where: [...of, certain], order, query, parameters: PARAMETERS, limit: LIMIT, present: presented },
      call,
    )
  const rows = await data.reader.select({
    table: documents,
    columns: documents.columns,
    where: { op: 'and', of: [...of, { op: 'or', of: [certain, doubtful] }] },
    order,
  })
  const seen = await viewable(rows.map(documentOf), call.caller, 'list', templates, data, now)
  const present = (items: typeof seen) => items.map((one) => one as unknown as Row)
  return listItems(seen, { query, parameters: PARAMETERS, limit: LIMIT, present }, call)
}

const presented = (row: Row): Row => documentOf(row) as unknown as Row

/** Whether there is a document of which its record has to be asked. */
async function isAny(of: readonly Condition[], { reader }: Data): Promise<boolean> {
  if (of.some(({ op }) => op === 'never')) return false
  const [row] = await reader.select({
    table: documents,
    columns: [DOCUMENT.id],
    where: { op: 'and', of },
    order: [],
    limit: 1,
  })
  return row !== undefined
}

function bound(name: 'after' | 'before', op: 'gt' | 'lt', query: Query): readonly Condition[] {
  const given = query[name]
  return given === undefined ? [] : [{ op, column: DOCUMENT.generatedAt, value: momentIn(name, given) }]
}

function orderOf(sort = '-generatedAt'): readonly Order[] {
  const order = sort.split(',').map((part) => {
    const descending = part.startsWith('-')
    const name = descending ? part.slice(1) : part
    if (!Object.hasOwn(SORTED, name))
      throw errors.INVALID_QUERY({ message: `'sort' takes ${Object.keys(SORTED).join(', ')}` })
    return { column: SORTED[name as keyof typeof SORTED], descending }
  })
  return [...order, { column: DOCUMENT.id, descending: order[0]?.descending ?? true }]
}
