import { listOf, objectOf, refer, type Schema } from '../parts.ts'

const text: Schema = { type: 'string' }
const whole: Schema = { type: 'integer' }
const maybe = (type: string, more: Schema = {}): Schema => ({ type: [type, 'null'], ...more })

/** The schemas that every document has. Resources whose name is taken here get another one. */
export const SHARED_SCHEMAS: Readonly<Record<string, Schema>> = {
  Envelope: {
    description: 'Every JSON answer that went well, but for those that are marked as direct.',
    ...objectOf(
      {
        status: { type: 'string', const: 'ok' },
        code: { ...whole, description: 'The HTTP status' },
        data: { description: 'What was asked for' },
        warnings: listOf(refer('schemas', 'Warning')),
        _meta: { ...objectOf({ locale: text, localeResolved: text }, ['locale', 'localeResolved']) },
      },
      ['warnings', '_meta'],
    ),
  },
  ErrorEnvelope: {
    description: 'Every answer that did not go well.',
    ...objectOf(
      {
        status: { type: 'string', const: 'error' },
        code: { ...whole, description: 'The HTTP status' },
        error_code: {
          ...text,
          pattern: '^[A-Z][A-Z0-9_]*$',
          description: 'What went wrong, for programs',
          examples: ['VALIDATION_ERROR'],
        },
        error_message: { ...text, description: 'What went wrong and what to do, for people' },
        errors: {
          description: 'Every fault of the input; in an older form by field.',
          anyOf: [
            listOf(refer('schemas', 'FieldError')),
            { type: 'object', additionalProperties: objectOf({ code: text, message: text }) },
          ],
        },
        data: { description: 'Further facts about the error' },
      },
      ['errors', 'data'],
    ),
  },
  FieldError: objectOf(
    {
      field: { ...text, description: 'Where in the input; a path with dots inside structured values' },
      label: text,
      message: text,
      rule: { ...text, description: 'The check that failed', examples: ['required'] },
      path: { ...text, description: 'Where in a definition' },
      line: { ...whole, description: 'The line of a definition' },
    },
    ['field', 'label', 'rule', 'path', 'line'],
  ),
  Warning: objectOf(
    {
      rule: text,
      message: text,
      severity: { type: 'string', enum: ['info', 'warning', 'error'] },
      regulation: maybe('string'),
      index: { ...whole, minimum: 0, description: 'Of many rows, the one that it is about, from 0' },
    },
    ['index'],
  ),
  PaginationMeta: objectOf({
    total: { ...whole, minimum: 0 },
    page: { ...whole, minimum: 1 },
    per_page: { ...whole, minimum: 1 },
    total_pages: { ...whole, minimum: 0 },
    has_next: { type: 'boolean' },
    has_prev: { type: 'boolean' },
  }),
  UserReference: {
    description: 'An account, as records show it.',
    ...objectOf({ id: { type: 'string', format: 'uuid' }, username: text }),
  },
  RecordPermissions: {
    description: 'What you may do with a record as it is now; a body may still be refused for what it says.',
    ...objectOf({
      operations: { ...listOf(text), description: 'Operations on this record alone' },
      transitions: { ...listOf(text), description: 'Transitions that leave its state' },
      writable: { ...listOf(text), description: 'Fields that an update may change' },
    }),
  },
  RowError: {
    description: 'Why one row of many was not written.',
    ...objectOf(
      {
        index: { ...whole, minimum: 0, description: 'Position of the row, from 0' },
        id: text,
        error_code: text,
        error_message: text,
        errors: listOf(refer('schemas', 'FieldError')),
        data: { description: 'Further facts about the error' },
      },
      ['id', 'errors', 'data'],
    ),
  },
}
