import type { Access, BlockOperation, Model } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import { newestFirst } from '../ledger.ts'
import { mayRead, renamed, shownName } from '../readable.ts'
import { type AuditLedger, openChange } from './ledger.ts'
import { PARAMETERS, whereOf } from './query.ts'

/** Lists who changed what, the newest first: of one record, or of all that the caller may list. */
export function auditOperation({ resource, model, table, recordId }: AuditLedger): BlockOperation {
  const names = renamed(resource)
  return {
    name: 'audit',
    summary: `List who changed what of ${resource.plural}`,
    routes: { 'GET /:id/audit': 'get', 'GET /audit': 'list' },
    async handle(input, call, records) {
      const subject = await records.about(input, call)
      const listing = {
        subject,
        table,
        recordId,
        where: whereOf(input.query ?? {}),
        order: newestFirst(subject.key !== undefined),
        parameters: PARAMETERS,
        present: (row: Row) => present(row, subject.access, { names, model }),
      }
      return records.list(listing, input, call)
    },
  }
}

const isErasure = (changes: Row[string] | undefined): boolean =>
  typeof changes === 'object' && changes !== null && Object.hasOwn(changes, '_action')

interface Showing {
  readonly names: ReadonlyMap<string, string>
  readonly model: Model
}

function present(row: Row, access: Access, { names, model }: Showing): Row {
  const { id, recordId, action, userId, username, timestamp, changes } = row
  const shown =
    action === 'delete' || isErasure(changes)
      ? Object.entries(changes ?? {})
      : Object.entries(changes ?? {})
          .filter(([name]) => mayRead(name, access, names))
          .map(([name, sides]) => [
            shownName(name, names),
            openChange(names.get(name) ?? name, sides, name, recordId!, { resource: access.resource, model }),
          ])
  return {
    id: id!,
    recordId: recordId!,
    action: action!,
    operation: action!,
    userId: userId ?? null,
    username: username ?? null,
    timestamp: timestamp!,
    changes: Object.fromEntries(shown),
  }
}
