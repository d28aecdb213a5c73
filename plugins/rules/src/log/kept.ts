import { codecOf, type Kept, keepFacts, type Model, type Resource } from '@svc/domain/contract'
import { sealValue, type Table } from '@svc/store/contract'
import { LOG } from './table.ts'

/** What the log keeps of records of a resource; what is erased of an entry is what was said, and of which values. */
export const keptOf = (resource: Resource, table: Table, model: Model): Kept => ({
  table,
  recordId: LOG.recordId,
  values: [LOG.said],
  where: { op: 'eq', column: LOG.resource, value: resource.name },
  erased: { [LOG.said.name]: sealValue({ codec: codecOf(model) }, nothingSaid(resource)) },
})

const nothingSaid = (resource: Resource) => ({
  message: '',
  messageData: {},
  facts: keepFacts({ resource, now: () => 0 }, []),
})
