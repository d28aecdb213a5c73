import {
  type Field,
  isRequiredOnCreate,
  PERMISSIONS,
  type Relationship,
  type Resource,
} from '@svc/domain/contract'
import type { Catalog, Entry } from './catalog.ts'
import {
  changedSchema,
  createdSchema,
  isShown,
  isWritable,
  isWrittenInPublic,
  shownSchema,
} from './field-schema.ts'
import { changedExample, createdExample } from './examples/bodies.ts'
import { listOf, objectOf, type Reference, refer, type Schema } from './parts.ts'
import { shownText } from './text.ts'

/** The schemas of one resource by the names of their components. */
export function resourceSchemas(entry: Entry, catalog: Catalog): Readonly<Record<string, Schema>> {
  const { record, input, patch, list, related } = entry.names
  return {
    [record]: recordSchema(entry),
    [input]: inputSchema(entry),
    [patch]: patchSchema(entry),
    [list]: listSchema(entry),
    [related]: relatedSchema(entry, catalog),
  }
}

/** A record with what `include` adds to it. */
export const withRelated = ({ names }: Entry): Schema => ({
  allOf: [refer('schemas', names.record), refer('schemas', names.related)],
})

function recordSchema({ resource, names }: Entry): Schema {
  const fields = [...resource.fields.values()].filter(isShown)
  return {
    type: 'object',
    title: shownText(resource.label, resource) ?? names.record,
    ...(resource.description !== undefined && { description: resource.description }),
    // A read rule or `fields` may leave out everything else.
    required: [resource.key.name],
    properties: Object.fromEntries(fields.map((field) => [field.name, shownSchema(field, resource)])),
  }
}

/**
 * What `include` adds to a record. It stands apart: an included record includes nothing itself, and readers of
 * schemas would otherwise walk from resource to resource without end.
 */
function relatedSchema({ resource, model }: Entry, catalog: Catalog): Schema {
  const related = [...resource.relationships.values()].map((one) => [
    one.name,
    includedSchema(one, model.name, catalog),
  ])
  return {
    type: 'object',
    description: 'With `include` alone.',
    properties: { ...Object.fromEntries(related), [PERMISSIONS]: refer('schemas', 'RecordPermissions') },
  }
}

function includedSchema({ kind, target }: Relationship, domain: string, catalog: Catalog): Schema {
  const name = target.kind === 'users' ? 'UserReference' : catalog.find(domain, target.name)?.names.record
  const one: Schema | Reference = name === undefined ? { type: 'object' } : refer('schemas', name)
  return kind === 'belongsTo' ? { anyOf: [one, { type: 'null' }] } : listOf(one)
}

/** The body of a create and of a replacement. */
function inputSchema({ resource, model }: Entry): Schema {
  const fields = publicFields(resource)
  const required = fields.filter((field) => isRequiredOnCreate(field, resource)).map(({ name }) => name)
  return {
    ...bodySchema(resource, fields, createdSchema),
    ...(required.length > 0 && { required }),
    example: createdExample(resource, model),
  }
}

/** The body of a change: any of the fields that can change. */
function patchSchema({ resource, model }: Entry): Schema {
  const fields = publicFields(resource).filter((field) => !field.immutable && !field.primaryKey)
  return {
    ...bodySchema(resource, fields, changedSchema),
    example: changedExample(resource, model),
  }
}

const publicFields = (resource: Resource): readonly Field[] =>
  [...resource.fields.values()].filter((field) => isWrittenInPublic(field, resource))

function bodySchema(
  resource: Resource,
  fields: readonly Field[],
  schemaOf: (field: Field, resource: Resource) => Schema,
): Schema {
  // Where a body may bring more than the document tells, the document must not forbid it.
  const hasSecrets = [...resource.fields.values()].some(
    (field) => isWritable(field, resource) && !isWrittenInPublic(field, resource),
  )
  const isClosed = resource.features.validationMode === 'strict' && !hasSecrets
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field, resource)])),
    ...(isClosed && { additionalProperties: false }),
  }
}

const whole: Schema = { type: 'integer', minimum: 0 }

function listSchema(entry: Entry): Schema {
  return objectOf(
    {
      items: listOf(withRelated(entry)),
      count: { ...whole, description: 'Records in this answer' },
      totalCount: { ...whole, description: 'Records in all; with pages alone' },
      nextCursor: { type: ['string', 'null'], description: 'With `cursor` alone; null at the end' },
      meta: refer('schemas', 'PaginationMeta'),
    },
    ['totalCount', 'nextCursor', 'meta'],
  )
}
