import { actionAccess } from '../access/operation.ts'
import {
  bindRecord,
  changeOf,
  notesOf,
  type Operation,
  type RecordInput,
  replyWith,
  routesOf,
} from './operation.ts'
import { idempotent } from './idempotent.ts'
import { parentOf } from './parent.ts'

/** Makes a record. */
export const create: Operation = (around) => {
  const { resource, writer } = around
  const name = `${resource.actionPrefix}create`
  return {
    name,
    summary: `Create one ${resource.name}`,
    access: actionAccess(resource, 'create'),
    routes: routesOf(resource, 'POST', '', ['create']),
    bind: bindRecord,
    notes: notesOf(around, 'create'),
    handle: (input: RecordInput, outer) =>
      idempotent(around, name, input, outer, async (transact, call) => {
        const change = changeOf(around, call, 'create', {
          body: input.data,
          key: undefined,
          parent: await parentOf(around, input, call),
        })
        return writer.answer(change, transact, (made, transaction) => replyWith(made, 201, transaction))
      }),
  }
}
