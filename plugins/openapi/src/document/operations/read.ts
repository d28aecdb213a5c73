import { answering, listOf, objectOf, refer, tagged } from '../parts.ts'
import { withRelated } from '../resource-schemas.ts'
import {
  choosing,
  exporting,
  exportingNotes,
  includes,
  listing,
  listingNotes,
  shared,
  showing,
} from './listing.ts'
import type { DocumentOperation } from './operation.ts'

export const list: DocumentOperation = ({ entry }) => ({
  description: listingNotes(entry),
  parameters: listing(entry),
  success: answering(refer('schemas', entry.names.list), `Some of the ${entry.resource.plural}`),
  failures: ['BadRequest'],
})

export const get: DocumentOperation = ({ entry }) => ({
  description: includes(entry.resource),
  parameters: [
    ...showing,
    ...(entry.resource.scopes.size > 0 ? shared('ScopeParam') : []),
    ...shared('IfNoneMatchParam'),
  ],
  success: tagged(answering(withRelated(entry), `The ${entry.resource.name}`)),
  failures: ['NotModified', 'BadRequest', 'NotFound'],
})

export const count: DocumentOperation = ({ entry }) => ({
  parameters: choosing(entry),
  success: answering(objectOf({ total: { type: 'integer', minimum: 0 } }), 'How many a list would have'),
  failures: ['BadRequest'],
})

export const distinct: DocumentOperation = ({ entry, path }) => ({
  parameters: [...(path.includes(':field') ? [] : [FIELD]), ...choosing(entry)],
  success: answering(
    objectOf({ field: { type: 'string' }, values: listOf({}) }),
    'The values of one field, each once, in order',
  ),
  failures: ['BadRequest', 'NotFound'],
})

const FIELD = {
  name: 'field',
  in: 'query',
  required: true,
  description: 'The stored field whose values are asked for',
  schema: { type: 'string' },
} as const

export const exportRecords: DocumentOperation = ({ entry }) => ({
  description: exportingNotes(entry),
  parameters: exporting(entry),
  success: {
    status: 200,
    description: `The ${entry.resource.plural} as CSV (RFC 4180) with a header row`,
    content: { type: 'text/csv', schema: { type: 'string' } },
  },
  failures: ['BadRequest'],
})
