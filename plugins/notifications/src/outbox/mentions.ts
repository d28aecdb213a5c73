import type { Mentioning } from '@svc/domain/contract'
import { ENTRY, RAISED, type Tables } from './tables.ts'

/** Where messages about others speak of somebody. What was to be sent to whom is erased is not sent. */
export const mentionsIn = ({ entries, raised }: Tables, now: () => number): readonly Mentioning[] => [
  {
    kind: 'notification',
    table: entries,
    columns: [ENTRY.recipient, ENTRY.recipientVeil, ENTRY.subject, ENTRY.body, ENTRY.errorMessage],
    about: { resource: ENTRY.resource, recordId: ENTRY.recordId },
    read: [ENTRY.status],
    settle: (row, set) =>
      row[ENTRY.status.name] === 'pending' && Object.hasOwn(set, ENTRY.recipient.name)
        ? {
            status: 'failed',
            nextAttemptAt: null,
            endedAt: new Date(now()).toISOString(),
            errorCode: 'NOT_FOUND',
            errorMessage: 'The recipient is erased',
          }
        : {},
  },
  {
    kind: 'notification',
    table: raised,
    columns: [RAISED.facts, RAISED.said, RAISED.named],
    about: { resource: RAISED.resource, recordId: RAISED.recordId },
  },
]
