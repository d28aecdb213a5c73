import { actionAccess } from '../access/operation.ts'
import { keyFrom } from '../query/key.ts'
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

const METHODS = { update: 'PATCH', put: 'PUT' } as const
const SUMMARIES = { update: 'Change some fields of one', put: 'Replace one' } as const

/** Changes a record: the sent fields alone, or all of them. */
const updating =
  (kind: 'update' | 'put'): Operation =>
  (around) => {
    const { resource, writer, runtime } = around
    return {
      name: `${resource.actionPrefix}${kind}`,
      summary: `${SUMMARIES[kind]} ${resource.name}`,
      access: actionAccess(resource, 'update'),
      routes: routesOf(resource, METHODS[kind], '/:id', [kind]),
      bind: bindRecord,
      notes: notesOf(around, kind),
      async handle(input: RecordInput, call) {
        const change = changeOf(around, call, kind, {
          body: input.data,
          key: keyFrom(resource, input.id),
          parent: await parentOf(around, input, call),
        })
        const refused = await writer.run(change)
        return refused ?? replyWith(change, 200, runtime.store)
      },
    }
  }

export const update = updating('update')
export const put = updating('put')
