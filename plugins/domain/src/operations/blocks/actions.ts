import type { ActionAccess, Action } from '@svc/kernel'
import { actionAccess } from '../../access/operation.ts'
import type { Resource } from '../../model/resource.ts'
import { bindRecord, notesOf, type RecordInput, routesOf, type Surroundings } from '../operation.ts'
import { operationsOf } from '../../blocks/added.ts'
import type { BlockOperation } from '../../contract/operation.ts'
import { createRecords } from './records.ts'

/** The actions behind the operations that blocks add to a resource. */
export function blockActions(around: Surroundings): readonly Action[] {
  const records = createRecords(around)
  return operationsOf(around).map((operation) => ({
    name: `${around.resource.actionPrefix}${operation.name}`,
    summary: operation.summary,
    access: operation.access ?? accessTo(operation, around.resource),
    routes: Object.entries(operation.routes).flatMap(([route, needs]) => {
      const [method = '', below = ''] = route.split(' ')
      return routesOf(around.resource, method, below, [needs])
    }),
    bind: bindRecord,
    notes: { ...notesOf(around, operation.name), ...(operation.alters && { alters: true }) },
    handle: (input: RecordInput, call) => operation.handle(input, call, records),
  }))
}

/** What the pipeline can decide: where the routes need different permissions, the handler knows which one counts. */
function accessTo({ routes }: BlockOperation, resource: Resource): ActionAccess {
  const all = [...new Set(Object.values(routes))].map((needs) => actionAccess(resource, needs))
  const [first = []] = all
  if (all.some((one) => one !== 'record' && one.includes('*'))) return ['*']
  return all.every((one) => String(one) === String(first)) ? first : 'record'
}
