import type { Documentation } from '@svc/domain/contract'
import { MOMENT, objectOf, orNull, TEXT } from '../json-schema.ts'
import { SEVERITIES } from './definition.ts'

/** What documents say of the timeline of a resource. */
export const TIMELINE_DOCUMENTATION = {
  schemas: {
    HistoryEntry: {
      description: 'One event in the life of a record.',
      ...objectOf({
        id: TEXT,
        event: TEXT,
        label: TEXT,
        detail: orNull('string'),
        icon: orNull('string'),
        severity: { type: 'string', enum: SEVERITIES },
        actor: { description: 'Who brought it about' },
        timestamp: MOMENT,
        data: { type: 'object', description: 'The captured values' },
      }),
    },
  },
  operations: {
    history: {
      query: { event: { ...TEXT, description: 'Only events of this name' } },
      answers: {
        description: 'What happened, the newest first',
        items: { $ref: '#/components/schemas/HistoryEntry' },
      },
      failures: [400, 404],
    },
  },
} satisfies Documentation
