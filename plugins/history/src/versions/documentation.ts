import type { Documentation } from '@svc/domain/contract'
import { MOMENT, objectOf, orNull, TEXT } from '../json-schema.ts'

/** What documents say of the versions of a resource. */
export const VERSIONS_DOCUMENTATION = {
  schemas: {
    VersionEntry: {
      description: 'A record as it was before a write.',
      ...objectOf({
        id: TEXT,
        recordId: TEXT,
        version: { type: 'integer', minimum: 1 },
        data: { type: 'object', description: 'The whole record' },
        userId: orNull('string'),
        createdAt: MOMENT,
      }),
    },
  },
  operations: {
    versions: {
      answers: {
        description: 'The record before each write, the newest first',
        items: { $ref: '#/components/schemas/VersionEntry' },
      },
      failures: [400, 404],
    },
    revert: {
      description:
        'Writes the values of an earlier version again; the version before this write is kept too.',
      headers: ['If-Match', 'Idempotency-Key'],
      body: { schema: objectOf({ version: { type: 'integer', minimum: 1 } }), example: { version: 1 } },
      answers: { description: 'The record as it is now', record: true },
      failures: [404, 409, 412, 422],
    },
  },
} satisfies Documentation
