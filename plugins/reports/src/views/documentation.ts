import type { JsonSchema } from '@svc/domain/contract'

/** The query parameters of a view. */
export const VIEW_QUERY: Readonly<Record<string, JsonSchema>> = {
  format: {
    type: 'string',
    enum: ['json', 'csv'],
    default: 'json',
    description: 'CSV has every row unless a part is asked for',
  },
  sort: { type: 'string', description: 'Names of columns over stored fields, with `-` for descending' },
  page: { type: 'integer', minimum: 1 },
  limit: { type: 'integer', minimum: 1, maximum: 1000 },
  formatted: { type: 'boolean', description: 'Adds each value as text, in `_formatted`' },
}

/** Columns as answers tell them. */
export const COLUMNS: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, label: { type: 'string' }, format: { type: 'string' } },
  },
}

export const VIEW_ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    view: { type: 'string' },
    columns: COLUMNS,
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          _highlights: {
            type: 'object',
            additionalProperties: { enum: ['info', 'success', 'warning', 'error'] },
          },
          _formatted: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
    count: { type: 'integer' },
    totalCount: { type: 'integer' },
    meta: { type: 'object' },
  },
}
