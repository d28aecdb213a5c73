import { Reply } from '@svc/kernel'
import { actionAccess } from '../access/operation.ts'
import { keyFrom } from '../query/key.ts'
import { bindRecord, changeOf, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'
import { parentOf } from './parent.ts'

/** Deletes a record, or marks it as deleted where the resource keeps such records. */
export const remove: Operation = (around) => {
  const { resource, writer } = around
  return {
    name: `${resource.actionPrefix}delete`,
    summary: `Delete one ${resource.name}`,
    access: actionAccess(resource, 'delete'),
    routes: routesOf(resource, 'DELETE', '/:id', ['delete']),
    bind: bindRecord,
    notes: notesOf(around, 'delete'),
    async handle(input: RecordInput, call) {
      const change = changeOf(around, call, 'delete', {
        body: undefined,
        key: keyFrom(resource, input.id),
        parent: await parentOf(around, input, call),
      })
      const refused = await writer.run(change)
      return refused ?? Reply.empty()
    },
  }
}
