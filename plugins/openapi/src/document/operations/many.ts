import type { Entry } from '../catalog.ts'
import { createdExample } from '../examples/bodies.ts'
import { answering, jsonBody, listOf, objectOf, type Parts, refer, type Schema } from '../parts.ts'
import { shared } from './listing.ts'
import type { DocumentOperation } from './operation.ts'

/** One address, three verbs: the method says what is done to the many. */
export const bulk: DocumentOperation = (operation) => (BULK[operation.method] ?? createMany)(operation)

const createMany: DocumentOperation = ({ entry }) => {
  const items = listOf(refer('schemas', entry.names.input))
  const upsert = {
    type: 'boolean',
    description: 'Change records that are there already; `false` where it is absent',
  }
  const conflict = {
    ...listOf({ type: 'string' }),
    description: 'Fields that say which record it is; the key unless named',
  }
  return {
    description: EACH_ALONE,
    parameters: shared('IdempotencyKeyParam'),
    body: jsonBody(
      { anyOf: [objectOf({ items, upsert, conflict }, ['upsert', 'conflict']), items] },
      { items: example(entry) },
    ),
    success: answering(rowsWritten(entry), 'What became of each row', 201),
    failures: FAILURES,
  }
}

const updateMany: DocumentOperation = ({ entry }) => {
  const { patch } = entry.names
  const alike = objectOf({ ids, data: refer('schemas', patch) })
  const each = { type: 'object', required: ['id'], properties: { id: keySchema(entry) } }
  return {
    description: EACH_ALONE,
    body: jsonBody({ anyOf: [alike, listOf(each)] }),
    success: answering(counted('updated'), 'How many were changed'),
    failures: FAILURES,
  }
}

const removeMany: DocumentOperation = () => ({
  description: EACH_ALONE,
  body: jsonBody(objectOf({ ids })),
  success: answering(counted('deleted'), 'How many were deleted'),
  failures: FAILURES,
})

const BULK: Readonly<Record<string, DocumentOperation>> = {
  POST: createMany,
  PATCH: updateMany,
  DELETE: removeMany,
}

/** Many records in one body, answered like a bulk create. */
export const importRecords: DocumentOperation = ({ entry }) => ({
  description: EACH_ALONE,
  parameters: shared('IdempotencyKeyParam'),
  body: jsonBody(listOf(refer('schemas', entry.names.input)), example(entry)),
  success: answering(rowsWritten(entry), 'What became of each row', 201),
  failures: FAILURES,
})

const example = ({ resource, model }: Entry): readonly object[] => [createdExample(resource, model)]

const EACH_ALONE = 'Each row fails alone: `errors` says which ones were not written, and why.'
const FAILURES: NonNullable<Parts['failures']> = ['Conflict', 'ValidationError']

const whole: Schema = { type: 'integer', minimum: 0 }
const ids = listOf({ type: 'string' })
const rowErrors = listOf(refer('schemas', 'RowError'))

const keySchema = ({ resource }: Entry): Schema => resource.key.compiled.openapi

const counted = (name: 'updated' | 'deleted'): Schema =>
  objectOf({ [name]: whole, failed: whole, errors: rowErrors }, ['failed', 'errors'])

const rowsWritten = ({ names }: Entry): Schema =>
  objectOf(
    {
      created: whole,
      updated: { ...whole, description: 'With `upsert` alone' },
      failed: whole,
      items: listOf(refer('schemas', names.record)),
      errors: rowErrors,
    },
    ['updated'],
  )
