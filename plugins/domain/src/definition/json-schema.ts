import { z } from 'zod'
import { definitionSchema, type LanguageExtensions } from './schema/definition.ts'

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** The media type of JSON Schemas. */
export const SCHEMA_TYPE = 'application/schema+json'

/**
 * The definition language as a JSON Schema, for editors: definitions as they are written, with directives.
 * `typeNames` are those that a field may have. Keys of the domain and of resources are open: other plugins own
 * keys there, and an unknown one is no error.
 */
export function languageSchema(extensions: LanguageExtensions, typeNames: readonly string[]): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(definitionSchema(extensions), {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => allowReferences(jsonSchema),
  })
  adaptRoot(root)
  adaptDomain(part($defs, 'Domain'))
  adaptResource(part($defs, 'Resource'))
  adaptField(part($defs, 'Field'), typeNames)
  return { ...root, title: 'Domain definition', $defs }
}

const REFERENCE: JsonSchema = {
  type: 'string',
  description: 'What stands here: #/<section>/<name> of this definition, or <file>#/<path>.',
}
const REFERENCE_ALONE: JsonSchema = {
  type: 'object',
  properties: { $ref: REFERENCE },
  required: ['$ref'],
  additionalProperties: false,
}
const MERGED: JsonSchema = { anyOf: [{ type: 'string' }, REFERENCE_ALONE] }
const MERGE: JsonSchema = {
  description: 'Groups of fields to take over, the later ones over the earlier.',
  anyOf: [MERGED, { type: 'array', items: MERGED }],
}
const INCLUDE: JsonSchema = {
  description: 'Files to take over, by path or pattern from the folder of this one.',
  type: 'array',
  items: { type: 'string', minLength: 1 },
}

/** Where a name belongs, a reference may stand in its place. */
const NAMES: readonly string[] = ['enum', 'target', 'under']

/** A map with known keys may come from elsewhere: what a reference brings need not be written beside it. */
function allowReferences(schema: JsonSchema): void {
  const { properties, required = [] } = schema
  if (schema.type !== 'object' || properties === undefined) return
  for (const name of NAMES) {
    const named = properties[name]
    if (typeof named === 'object') properties[name] = orReference(named)
  }
  properties['$ref'] = REFERENCE
  if (required.length === 0) return
  delete schema.required
  schema.anyOf = [{ required }, { required: ['$ref'] }]
}

const orReference = ({ description, ...schema }: JsonSchema): JsonSchema => ({
  ...(description !== undefined && { description }),
  anyOf: [schema, REFERENCE_ALONE],
})

/** The whole document is written here; files that are included bring parts of the domain. */
function adaptRoot(root: JsonSchema): void {
  root.properties = {
    domain: { description: 'The whole domain.', $ref: '#/$defs/Domain' },
    $include: INCLUDE,
  }
  root.required = ['domain']
  delete root.anyOf
  root.if = { required: ['$include'] }
  root.else = { properties: { domain: { anyOf: [{ required: ['resources'] }, { required: ['$include'] }] } } }
}

function adaptDomain(domain: JsonSchema): void {
  const { $ref: _, ...properties } = domain.properties ?? {}
  domain.properties = { ...properties, $include: INCLUDE }
  domain.required = ['name', 'version']
  delete domain.anyOf
  delete domain.additionalProperties
  const groups = domain.properties['objects']
  if (typeof groups === 'object' && typeof groups.additionalProperties === 'object')
    allowMerge(groups.additionalProperties)
}

function adaptResource(resource: JsonSchema): void {
  delete resource.additionalProperties
  const object = resource.properties?.['object']
  if (typeof object === 'object') allowMerge(object)
}

function adaptField(field: JsonSchema, typeNames: readonly string[]): void {
  const known: JsonSchema = { type: 'string', enum: [...typeNames] }
  for (const form of field.anyOf ?? []) {
    if (typeof form !== 'object') continue
    if (form.type === 'string') Object.assign(form, known)
    const type = form.properties?.['type']
    if (typeof type === 'object') Object.assign(type, known)
  }
}

function allowMerge(fields: JsonSchema): void {
  fields.properties = { $merge: MERGE }
}

function part(parts: Readonly<Record<string, JsonSchema>>, name: string): JsonSchema {
  const found = parts[name]
  if (found === undefined) throw new Error(`the definition language has no part '${name}'`)
  return found
}
