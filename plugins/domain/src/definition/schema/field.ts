import { z } from 'zod'
import { JsonValue, Text } from './text.ts'

const Formula = z.strictObject({
  type: z.string().min(1).optional().describe('The type of the values; that of the expression unless said.'),
  expression: z.string().min(1).describe('What the value is worked out from.'),
  stored: z
    .boolean()
    .optional()
    .describe('Whether the value is kept and renewed by every write; otherwise every read works it out.'),
  label: Text.optional().describe('The name for people.'),
  description: z.string().optional().describe('What the field means.'),
})

/** A formula: the bare expression, or the expression with what is said about it. */
export const ComputedDefinition = z.union([z.string().min(1), Formula]).meta({
  id: 'Computed',
  description: 'A formula: an expression, or a map with an expression and what is said about it.',
})
export type ComputedDefinition = z.infer<typeof ComputedDefinition>

const Privacy = z.strictObject({
  classification: z.string().optional().describe('One of the classifications that the domain declares.'),
  pii: z.boolean().optional().describe('Whether the values tell who a person is.'),
  sensitive: z.boolean().optional().describe('Whether the values could harm a person.'),
  phi: z.boolean().optional().describe('Whether the values speak of the health of a person.'),
  encrypted: z.boolean().optional().describe('Whether the values are stored encrypted.'),
  subjectIdentifier: z.boolean().optional().describe('Whether the values name the person a record is about.'),
})

const Limit = z.union([z.number(), z.string()])

/** What every field may say, whatever its type. */
export const commonFieldAttributes = {
  type: z.string().min(1).optional().describe('What kind of values the field holds.'),
  primaryKey: z
    .boolean()
    .optional()
    .describe('Whether this is the key; a resource without one gets a uuid called id.'),
  required: z.boolean().optional().describe('Whether a create has to bring a value.'),
  unique: z.boolean().optional().describe('Whether two records may not have the same value.'),
  immutable: z.boolean().optional().describe('Whether the value stays as it was created.'),
  default: JsonValue.optional().describe('What a create without a value gets.'),
  minLength: z.int().min(0).optional().describe('The least number of characters.'),
  maxLength: z.int().min(1).optional().describe('The greatest number of characters.'),
  min: Limit.optional().describe('The least value.'),
  max: Limit.optional().describe('The greatest value.'),
  pattern: z.string().optional().describe('A regular expression that values match.'),
  autoNow: z
    .enum(['create', 'update', 'always'])
    .optional()
    .describe('Which writes set the field to their own time.'),
  description: z.string().optional().describe('What the field means.'),
  label: Text.optional().describe('The name for people.'),
  enum: z
    .union([z.array(z.string()).min(1), z.string().min(1)])
    .optional()
    .describe('The values that are allowed: a list, or the name of an enumeration.'),
  hidden: z.boolean().optional().describe('Whether answers leave the field out.'),
  requestable: z.boolean().optional().describe('Whether a hidden field is shown to those who ask for it.'),
  computed: ComputedDefinition.optional().describe('A formula that stands in place of a sent value.'),
  renamedFrom: z.string().optional().describe('The former name, from which the values are kept.'),
  privacy: Privacy.optional().describe('What the field means for the privacy of people.'),
} as const

/** Attributes of every field that a plugin may take over. */
export const OPEN_ATTRIBUTES: ReadonlySet<string> = new Set(['privacy'])

const CommonField = z.strictObject(commonFieldAttributes)

/** A field as its author wrote it: common attributes, and those that its type adds. */
export type FieldDefinition = z.infer<typeof CommonField> & { readonly [attribute: string]: unknown }

type FieldSchema = z.ZodType<string | FieldDefinition>

/** By the attributes: a field may hold fields, and all of them are of one schema. */
const made = new WeakMap<Readonly<Record<string, z.ZodType>>, FieldSchema>()

/** The schema of a field, given the attributes that the known field types add. */
export function fieldSchema(typeAttributes: Readonly<Record<string, z.ZodType>>): FieldSchema {
  const known = made.get(typeAttributes)
  if (known) return known
  const taken = Object.entries(typeAttributes).filter(([name]) => OPEN_ATTRIBUTES.has(name))
  const attributes = z.strictObject({
    ...typeAttributes,
    ...commonFieldAttributes,
    ...Object.fromEntries(taken),
  })
  const field = z
    .union([z.string().min(1), attributes])
    .meta({ id: 'Field', description: 'A field: the name of its type, or a map of attributes.' })
  const schema = field as unknown as FieldSchema
  made.set(typeAttributes, schema)
  return schema
}
