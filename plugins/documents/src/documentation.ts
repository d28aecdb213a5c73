import type { Documentation, JsonSchema } from '@svc/domain/contract'
import { FORMAT_NAMES } from '@svc/render/contract'
import { LIMIT } from './list.ts'

const text = (description: string): JsonSchema => ({ type: 'string', description })
const nullable = (description: string): JsonSchema => ({ type: ['string', 'null'], description })

const DOCUMENT: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    templateName: text('The template that it was made of'),
    templateVersion: text("The domain's version by then"),
    resource: nullable('The resource of the record that it is about'),
    recordId: nullable('The key of that record'),
    filename: text('What it is called'),
    format: { type: 'string', enum: [...FORMAT_NAMES] },
    storagePath: text('Where its bytes stand in the file store'),
    fileSize: { type: 'integer', description: 'In bytes' },
    generatedBy: nullable('The id of who generated it; null: the system'),
    generatedAt: { type: 'string', format: 'date-time' },
    metadata: {
      type: 'object',
      properties: {
        checksum: text('SHA-256 of the bytes, in hex'),
        templateChecksum: text('SHA-256 of the template, in hex'),
        parameters: { type: 'object' },
        locale: text('The locale that it is written in'),
        trigger: text('What set it off: `manual`, an event, `schedule:<name>` or `workflow:<name>`'),
      },
    },
  },
}
const SCHEMAS = { GeneratedDocument: DOCUMENT }
const REFERENCE: JsonSchema = { $ref: '#/components/schemas/GeneratedDocument' }

const ASKED: JsonSchema = {
  type: 'object',
  properties: {
    recordId: { description: 'The key of the record, where the template is about one' },
    locale: text('The locale to write in; that of the request unless said'),
  },
  additionalProperties: { description: "The template's parameters, by name" },
}

/** What documents say of templates. */
export const templatesDocumentation: Documentation = {
  schemas: SCHEMAS,
  operations: {
    generate: {
      headers: ['Idempotency-Key'],
      description: '409 where the condition of the template does not hold for the record.',
      body: { schema: ASKED },
      answers: { description: 'The document that was kept', data: REFERENCE },
      failures: [404, 409, 422, 503],
    },
    preview: {
      description: 'Answers the bytes; nothing is kept.',
      body: { schema: ASKED },
      failures: [404, 409, 422, 503],
    },
    get: { failures: [404] },
  },
}

/** What documents say of generated documents. */
export const documentsDocumentation: Documentation = {
  schemas: SCHEMAS,
  operations: {
    list: {
      query: {
        resource: text('The resource of the record'),
        recordId: text('The key of the record'),
        template: text('The name of the template'),
        templateVersion: text("The domain's version"),
        format: text(FORMAT_NAMES.map((name) => `\`${name}\``).join(', ')),
        generatedBy: text('The id of who generated it'),
        after: text('Generated after this moment'),
        before: text('Generated before this moment'),
        sort: text(
          '`generatedAt`, `templateName`, `filename`, `format`, `fileSize`, with `-` for descending',
        ),
      },
      answers: { description: 'One part of the documents', items: REFERENCE, limit: LIMIT },
      failures: [400],
    },
    get: { answers: { description: 'The document', data: REFERENCE }, failures: [404] },
    download: { failures: [404, 416, 503] },
    delete: { answers: { description: 'It is gone', data: {} }, failures: [404] },
  },
}
