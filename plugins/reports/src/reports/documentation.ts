import type { JsonSchema, Text } from '@svc/domain/contract'
import { COLUMNS } from '../views/documentation.ts'
import type { Report } from './report.ts'

/** The query parameters of a report. */
export const reportQuery = (
  { parameters, sections }: Report,
  localize: (text: Text | undefined) => string | undefined,
): Readonly<Record<string, JsonSchema>> => ({
  format: { type: 'string', enum: ['json', 'csv', 'pdf'], default: 'json' },
  section: {
    type: 'integer',
    minimum: 1,
    maximum: sections.length,
    description: 'Of CSV: this section alone',
  },
  ...Object.fromEntries(
    parameters.map(({ name, label, type, allowed }) => [
      name,
      {
        type: 'string',
        description: `${localize(label) ?? name} (${type})`,
        ...(allowed && { enum: [...allowed] }),
      },
    ]),
  ),
})

const VALUE: JsonSchema = { description: 'A value, null where there is none' }
const TOTALS: JsonSchema = { type: 'object', additionalProperties: VALUE }
const ITEMS: JsonSchema = { type: 'array', items: { type: 'object' } }

export const REPORT_ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    report: { type: 'string' },
    label: { type: 'string' },
    description: { type: ['string', 'null'] },
    generatedAt: { type: 'string', format: 'date-time' },
    parameters: { type: 'object', additionalProperties: VALUE },
    header: { type: ['string', 'null'] },
    footer: { type: ['string', 'null'] },
    sections: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { enum: ['metrics', 'table'] },
          title: { type: ['string', 'null'] },
          forbidden: { const: true },
          metrics: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                label: { type: 'string' },
                value: VALUE,
                format: { type: 'string' },
                text: { type: 'string' },
                forbidden: { const: true },
              },
            },
          },
          view: { type: 'string' },
          columns: COLUMNS,
          items: ITEMS,
          groups: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                value: VALUE,
                label: { type: 'string' },
                count: { type: 'integer' },
                totals: TOTALS,
                items: ITEMS,
              },
            },
          },
          count: { type: 'integer' },
          totalCount: { type: 'integer' },
          totals: TOTALS,
          truncated: { type: 'boolean' },
          emptyMessage: { type: ['string', 'null'] },
        },
      },
    },
  },
}
