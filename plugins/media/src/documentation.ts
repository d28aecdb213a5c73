import type { Documentation, JsonSchema } from '@svc/domain/contract'

const LISTED: Readonly<Record<string, JsonSchema>> = {
  search: { type: 'string', description: 'What the name contains, whatever the case' },
  mime_type: { type: 'string', description: 'A media type, or all of a kind: `image/*`' },
  sort: {
    type: 'string',
    description:
      '`created_at`, `filename`, `size`, `mime_type`, with a `-` for descending; `-created_at` unless said',
  },
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 50, description: 'How many items' },
  offset: { type: 'integer', minimum: 0, description: 'How many items come before' },
  page: { type: 'integer', minimum: 1, description: 'In place of `offset`: which part of `limit` items' },
}

/** What documents say of the library. */
export const documentation: Documentation = {
  operations: {
    upload: {
      description:
        'A file that is too large, of a type that is not taken, or of other bytes than it says, is catalogued without its bytes, with the warning `file_rejected`; with `Prefer: handling=strict` it is refused.',
      headers: ['Idempotency-Key'],
      failures: [400, 413, 415, 422],
    },
    list: {
      query: {
        ...LISTED,
        orphans: { type: 'boolean', description: 'Only what no record refers to, for who may manage items' },
      },
      failures: [400],
    },
    orphans: { query: LISTED, failures: [400] },
    get: { failures: [404] },
    delete: {
      description:
        '409 MEDIA_REFERENCED as long as a record refers to the item, a deleted one that may come back too.',
      answers: { description: 'It is gone', data: {} },
      failures: [404, 409],
    },
    'bulk-delete': { headers: ['Idempotency-Key'], failures: [422] },
  },
}
