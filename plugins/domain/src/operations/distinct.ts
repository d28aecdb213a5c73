import { errors, ignoredBy } from '@svc/kernel'
import type { Access } from '../access/access.ts'
import { actionAccess } from '../access/operation.ts'
import { CHOOSING, planRows, reportUnknown } from '../query/plan.ts'
import { accessOf, bindRecord, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'
import { belongsTo, parentOf } from './parent.ts'

/** The most values that one answer holds; further ones are left out, and a warning says so. */
const MAX_VALUES = 10_000

const KNOWN: ReadonlySet<string> = new Set([...CHOOSING, 'field'])

/** Answers the values of one stored field in the records that a list would have, each once and in order. */
export const distinct: Operation = (around) => {
  const { resource, runtime } = around
  return {
    name: `${resource.actionPrefix}distinct`,
    summary: `List the values of one field of ${resource.plural}`,
    access: actionAccess(resource, 'list'),
    routes: [
      ...routesOf(resource, 'GET', '/distinct', ['list', 'distinct']),
      ...routesOf(resource, 'GET', '/distinct/:field', ['list', 'distinct']),
    ],
    bind: bindRecord,
    notes: notesOf(around, 'distinct'),
    async handle(input: RecordInput, call) {
      const { query = {} } = input
      const access = accessOf(around, call)
      const ignored = ignoredBy(call.request?.meta('prefer'), call.warn)
      reportUnknown(query, ignored, KNOWN)
      const where = planRows(query, access, ignored, {
        where: belongsTo(await parentOf(around, input, call)),
      })
      const name = input.path?.['field'] ?? query['field']
      const column = columnOf(name, access)
      const rows = await runtime.store.select({
        table: resource.table,
        columns: [column],
        distinct: true,
        where,
        order: [{ column, descending: false }],
        limit: MAX_VALUES + 1,
      })
      if (rows.length > MAX_VALUES) call.warn(incomplete())
      return { field: name, values: rows.slice(0, MAX_VALUES).map((row) => row[column.name]) }
    },
  }
}

/** An unreadable field is refused in the words of an unknown one. */
function columnOf(name: string | undefined, access: Access) {
  if (name === undefined || name === '')
    throw errors.INVALID_QUERY({ message: "Say which field: /distinct/<field> or 'field=<field>'" })
  const field = access.readable(name)
  if (field?.column !== undefined && field.compiled.type.sortable) return field.column
  throw errors.INVALID_QUERY({
    message: `'${name.slice(0, 100)}' is no stored field whose values can be listed`,
  })
}

const incomplete = () => ({
  rule: 'incomplete',
  message: `There are more than ${MAX_VALUES} values; these are the first`,
  severity: 'warning' as const,
  regulation: null,
})
