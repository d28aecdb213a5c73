import type { Mentioning, Unresolved } from '@svc/domain/contract'
import type { Reader } from '@svc/store/contract'
import { FAILURE, failures } from './events/failures.ts'
import { PROMISE, promises } from './promises/promises.ts'
import { DOCUMENT, documents } from './table.ts'

/** How many documents of reports one answer names. */
const MOST = 200

/** Where documents about others speak of somebody. */
export const mentionsIn = (domain: string): readonly Mentioning[] => [
  {
    kind: 'document',
    table: documents,
    columns: [DOCUMENT.filename, DOCUMENT.metadata],
    where: { op: 'eq', column: DOCUMENT.domain, value: domain },
    about: { resource: DOCUMENT.resource, recordId: DOCUMENT.recordId },
    rest: 'It was made with values of the person, and its file stays as it is',
  },
  {
    kind: 'documentPromise',
    table: promises,
    columns: [PROMISE.record, PROMISE.parameters],
    where: { op: 'eq', column: PROMISE.domain, value: domain },
    about: { resource: PROMISE.resource, recordId: PROMISE.recordId },
  },
  {
    kind: 'documentFailure',
    table: failures,
    columns: [FAILURE.message],
    where: { op: 'eq', column: FAILURE.domain, value: domain },
  },
]

/** Documents of reports: whom their files speak of, nobody has kept. */
export async function reportsKept(domain: string, reader: Reader): Promise<readonly Unresolved[]> {
  const rows = await reader.select({
    table: documents,
    columns: [DOCUMENT.id],
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: DOCUMENT.domain, value: domain },
        { op: 'like', column: DOCUMENT.template, pattern: 'report:%' },
      ],
    },
    order: [{ column: DOCUMENT.generatedAt, descending: true }],
    limit: MOST,
  })
  return rows.map(({ id }) => ({
    kind: 'document',
    id: String(id),
    reason: 'It is the document of a report, which may speak of the person',
  }))
}
