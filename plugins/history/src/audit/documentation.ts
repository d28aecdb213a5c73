import type { Documentation } from '@svc/domain/contract'
import { MOMENT, objectOf, orNull, TEXT } from '../json-schema.ts'

/** What documents say of the audit of a resource. */
export const AUDIT_DOCUMENTATION: Documentation = {
  schemas: {
    AuditEntry: {
      description: 'One write of a record.',
      ...objectOf(
        {
          id: TEXT,
          recordId: TEXT,
          action: { type: 'string', enum: ['create', 'update', 'delete'] },
          operation: TEXT,
          userId: orNull('string'),
          username: orNull('string'),
          timestamp: MOMENT,
          changes: {
            type: 'object',
            description: 'By field: `to`, and `from` where there was a value before',
          },
        },
        ['operation'],
      ),
    },
  },
  operations: {
    audit: {
      query: {
        after: { ...MOMENT, description: 'Only writes later than this' },
        before: { ...MOMENT, description: 'Only writes earlier than this' },
        userId: { ...TEXT, description: 'Only writes of this user' },
      },
      answers: {
        description: 'Who wrote what, the newest first',
        items: { $ref: '#/components/schemas/AuditEntry' },
      },
      failures: [400, 404],
    },
  },
}
