import { actionAccess } from '../access/operation.ts'
import { itemsOf, runBatch } from './batch.ts'
import { insert, madeAnswer } from './bulk.ts'
import { idempotent } from './idempotent.ts'
import { bindRecord, notesOf, type Operation, readingOf, type RecordInput, routesOf } from './operation.ts'
import { parentOf } from './parent.ts'

/** After how many rows the log hears of an import. */
const CHUNK = 500

/** Makes the records of a list; answered like a bulk create. */
export const importRecords: Operation = (around) => {
  const { resource, runtime } = around
  const name = `${resource.actionPrefix}import`
  return {
    name,
    summary: `Import ${resource.plural}`,
    access: actionAccess(resource, 'create'),
    routes: routesOf(resource, 'POST', '/import', ['create']),
    bind: bindRecord,
    notes: notesOf(around, 'import'),
    handle: (input: RecordInput, outer) =>
      idempotent(around, name, input, outer, async (transact, call) => {
        const parent = await parentOf(around, input, call)
        const items = itemsOf(input.data, 'items', runtime.bulkLimit, readingOf(around, call))
        const rows = items.map((body, row) => insert(around, call, { body, parent, row }))
        const { requestId } = call
        const onProgress = (done: number) => {
          if (done % CHUNK !== 0 && done !== rows.length) return
          runtime.log.info({ requestId, action: name, done, of: rows.length }, 'domain.import_progress')
        }
        return runBatch(around, rows, { transact, answer: madeAnswer(false), onProgress })
      }),
  }
}
