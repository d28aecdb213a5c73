import { ignoredBy } from '@svc/kernel'
import { actionAccess } from '../access/operation.ts'
import { CHOOSING, planRows, reportUnknown } from '../query/plan.ts'
import { accessOf, bindRecord, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'
import { belongsTo, parentOf } from './parent.ts'

/** Answers how many records a list would have. */
export const count: Operation = (around) => {
  const { resource, runtime } = around
  return {
    name: `${resource.actionPrefix}count`,
    summary: `Count ${resource.plural}`,
    access: actionAccess(resource, 'list'),
    routes: routesOf(resource, 'GET', '/count', ['list', 'count']),
    bind: bindRecord,
    notes: notesOf(around, 'count'),
    async handle(input: RecordInput, call) {
      const ignored = ignoredBy(call.request?.meta('prefer'), call.warn)
      const { query = {} } = input
      reportUnknown(query, ignored, CHOOSING)
      const where = planRows(query, accessOf(around, call), ignored, {
        where: belongsTo(await parentOf(around, input, call)),
      })
      return { total: await runtime.store.count({ table: resource.table, where }) }
    },
  }
}
