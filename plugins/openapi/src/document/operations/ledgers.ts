import { answering, listOf, objectOf, type Parameter, refer, type Schema } from '../parts.ts'
import { shared } from './listing.ts'
import type { DocumentOperation } from './operation.ts'

const ledger =
  (
    entry: 'AuditEntry' | 'VersionEntry' | 'HistoryEntry',
    description: string,
    parameters: readonly Parameter[],
  ): DocumentOperation =>
  () => ({
    parameters: [...shared('PageParam', 'LimitParam', 'OffsetParam'), ...parameters],
    success: answering(entries(entry), description),
    failures: ['BadRequest', 'NotFound'],
  })

const query = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})
const moment: Schema = { type: 'string', format: 'date-time' }

export const audit = ledger('AuditEntry', 'Who wrote what, the newest first', [
  query('after', 'Only writes later than this', moment),
  query('before', 'Only writes earlier than this', moment),
  query('userId', 'Only writes of this user'),
])

export const versions = ledger('VersionEntry', 'The record before each write, the newest first', [])

export const history = ledger('HistoryEntry', 'What happened, the newest first', [
  query('event', 'Only events of this name'),
])

const entries = (name: string): Schema =>
  objectOf(
    {
      items: listOf(refer('schemas', name)),
      count: { type: 'integer', minimum: 0 },
      totalCount: { type: 'integer', minimum: 0 },
      meta: refer('schemas', 'PaginationMeta'),
    },
    ['totalCount', 'meta'],
  )
