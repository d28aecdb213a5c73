import type { Documentation, JsonSchema } from '@svc/domain/contract'

const TEXT: JsonSchema = { type: 'string' }
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }
const MOMENT: JsonSchema = { type: 'string', format: 'date-time' }
const SHEET_COLUMN: JsonSchema = { $ref: '#/components/schemas/SheetColumn' }

const FACTS = {
  label: { ...TEXT_OR_NULL, description: 'The name for people' },
  description: { ...TEXT_OR_NULL, description: 'What it is for' },
  default: { description: 'What a record without a value gets' },
}

/** What documents say of columns. */
export const COLUMNS_DOCUMENTATION = {
  schemas: {
    SheetColumn: {
      description: 'A field that users have added.',
      type: 'object',
      required: [
        'name',
        'type',
        'label',
        'description',
        'default',
        'enum',
        'expression',
        'createdBy',
        'createdAt',
        'updatedAt',
      ],
      properties: {
        name: TEXT,
        type: TEXT,
        ...FACTS,
        enum: { type: ['array', 'null'], items: TEXT },
        expression: { ...TEXT_OR_NULL, description: 'What its values are worked out from' },
        min: {},
        max: {},
        minLength: { type: 'integer' },
        maxLength: { type: 'integer' },
        items: {},
        createdBy: { type: 'object', properties: { id: TEXT_OR_NULL, username: TEXT_OR_NULL } },
        createdAt: MOMENT,
        updatedAt: MOMENT,
      },
    },
  },
  operations: {
    columns: {
      answers: {
        description: 'The columns that users have added, in the order of their creation',
        data: {
          type: 'object',
          required: ['items', 'count', 'maxColumns'],
          properties: {
            items: { type: 'array', items: SHEET_COLUMN },
            count: { type: 'integer' },
            maxColumns: { type: 'integer' },
          },
        },
      },
    },
    column: { answers: { description: 'The column', data: SHEET_COLUMN }, failures: [404] },
    'add-column': {
      description: 'From then on it is a field of every record; those that are there get its default.',
      status: 201,
      body: {
        schema: {
          type: 'object',
          required: ['name', 'type'],
          properties: {
            name: TEXT,
            type: TEXT,
            ...FACTS,
            enum: { type: 'array', items: TEXT },
            min: {},
            max: {},
            minLength: { type: 'integer' },
            maxLength: { type: 'integer' },
            items: { description: 'Of array and set: a type, or a field' },
            expression: {
              ...TEXT,
              description: 'What its values are worked out from; nobody writes them then',
            },
          },
        },
        example: { name: 'torque', type: 'decimal', label: 'Torque in Nm' },
      },
      answers: { description: 'The new column', data: SHEET_COLUMN },
      failures: [409, 422],
    },
    'change-column': {
      description: 'A column that is renamed keeps its values.',
      body: {
        schema: { type: 'object', properties: { name: TEXT, ...FACTS } },
        example: { description: 'As the wrench says it' },
      },
      answers: { description: 'The column as it is now', data: SHEET_COLUMN },
      failures: [404, 409, 422],
    },
    'delete-column': { description: 'Its values go with it.', status: 204, failures: [404, 409] },
  },
} satisfies Documentation
