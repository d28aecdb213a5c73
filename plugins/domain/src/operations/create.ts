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
import type { Parent } from '../write/change.ts'
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
      idempotent(around, name, input, outer, (transact, call) => {
        const write = (parent?: Parent) =>
          writer.answer(
            changeOf(around, call, 'create', { body: input.data, key: undefined, parent }),
            transact,
            (made, transaction) => replyWith(made, 201, transaction),
          )
        const parent = parentOf(around, input, call)
        return parent === undefined ? write() : parent.then(write)
      }),
  }
}
