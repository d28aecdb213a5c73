import { actionAccess } from '../access/operation.ts'
import { accessOf, bindRecord, notesOf, type Operation, type RecordInput, routesOf } from './operation.ts'
import { belongsTo, parentOf } from './parent.ts'
import { readList } from './read-list.ts'

/** Answers one part of a collection. */
export const list: Operation = (around) => {
  const { resource } = around
  return {
    name: `${resource.actionPrefix}list`,
    summary: `List ${resource.plural}`,
    access: actionAccess(resource, 'list'),
    routes: routesOf(resource, 'GET', '', ['list']),
    bind: bindRecord,
    notes: notesOf(around, 'list'),
    async handle(input: RecordInput, call) {
      const parent = parentOf(around, input, call)
      const within = { where: belongsTo(parent && (await parent)) }
      return readList(around, accessOf(around, call), input.query ?? {}, call, within)
    },
  }
}
