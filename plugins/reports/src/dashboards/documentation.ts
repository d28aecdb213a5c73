import type { JsonSchema } from '@svc/domain/contract'
import { COLUMNS } from '../views/documentation.ts'
import { WIDGET_TYPES } from './definition.ts'

const VALUE: JsonSchema = { description: 'A value, null where there is none' }

const WIDGET: Readonly<Record<string, JsonSchema>> = {
  type: { enum: [...WIDGET_TYPES] },
  label: { type: 'string' },
  format: { type: 'string' },
  forbidden: { const: true },
  value: VALUE,
  text: { type: 'string' },
  threshold: { type: ['string', 'null'] },
  target: VALUE,
  color: { type: ['string', 'null'] },
  min: { type: 'number' },
  max: VALUE,
  groups: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        key: VALUE,
        label: { type: 'string' },
        value: VALUE,
        color: { type: ['string', 'null'] },
      },
    },
  },
  truncated: { type: 'boolean' },
  columns: COLUMNS,
  items: { type: 'array', items: { type: 'object' } },
  count: { type: 'integer' },
}

const COMPUTED: Readonly<Record<string, JsonSchema>> = {
  dashboard: { type: 'string' },
  computedAt: { type: 'string', format: 'date-time' },
}

export const DASHBOARD_ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    ...COMPUTED,
    widgets: { type: 'object', additionalProperties: { type: 'object', properties: WIDGET } },
  },
}

export const WIDGET_ANSWER: JsonSchema = {
  type: 'object',
  properties: { ...COMPUTED, widget: { type: 'string' }, ...WIDGET },
}
