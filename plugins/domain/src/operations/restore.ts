import { actionAccess } from '../access/operation.ts'
import { keyFrom } from '../query/key.ts'
import { idempotent } from './idempotent.ts'
import {
  bindRecord,
  changeOf,
  notesOf,
  type Operation,
  type RecordInput,
  replyWith,
  routesOf,
} from './operation.ts'
import { parentOf } from './parent.ts'

/** Brings a deleted record back, for those who may delete it. */
export const restore: Operation = (around) => {
  const { resource, writer } = around
  const name = `${resource.actionPrefix}restore`
  return {
    name,
    summary: `Restore one ${resource.name}`,
    access: actionAccess(resource, 'delete'),
    routes: routesOf(resource, 'POST', '/:id/restore', ['delete']),
    bind: bindRecord,
    notes: notesOf(around, 'restore'),
    handle: (input: RecordInput, outer) =>
      idempotent(around, name, input, outer, async (transact, call) => {
        const change = changeOf(around, call, 'restore', {
          body: undefined,
          key: keyFrom(resource, input.id),
          parent: await parentOf(around, input, call),
        })
        return writer.answer(change, transact, (made, transaction) => replyWith(made, 200, transaction))
      }),
  }
}
