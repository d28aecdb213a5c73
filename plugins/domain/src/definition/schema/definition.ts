import { z } from 'zod'
import { fieldSchema } from './field.ts'
import { type ResourceDefinition, resourceSchema } from './resource.ts'
import { JsonValue, Text, UrlPath } from './text.ts'

const EnumValue = z.strictObject({
  label: Text.optional().describe('The name for people.'),
  description: Text.optional().describe('What the value means.'),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'must be #RRGGBB')
    .optional()
    .describe('A colour, as #RRGGBB.'),
  icon: z.string().optional().describe('An icon, as <set>:<name>.'),
  final: z.boolean().optional().describe('Whether the value is an end; a hint for user interfaces.'),
})

const Enumeration = z
  .strictObject({
    description: z.string().optional().describe('What it is for.'),
    label: Text.optional().describe('The name for people.'),
    values: z
      .union([z.array(z.string().min(1)).min(1), z.record(z.string().min(1), z.union([z.null(), EnumValue]))])
      .describe('The values: a list, or a map from value to what is said about it.'),
  })
  .meta({ id: 'Enumeration' })

/** What other plugins add to the language: attributes of their field types, and keys that they own. */
export interface LanguageExtensions {
  /** Attribute schemas of all known field types by name. */
  readonly typeAttributes: Readonly<Record<string, z.ZodType>>
  /** Schemas of keys under `domain` by key. */
  readonly domainBlocks: Readonly<Record<string, z.ZodType>>
  /** Schemas of keys under a resource by key. */
  readonly resourceBlocks: Readonly<Record<string, z.ZodType>>
  /** Schemas of features of resources by name. */
  readonly features?: Readonly<Record<string, z.ZodType>>
}

/** The definition language as one schema. */
export const definitionSchema = (extensions: LanguageExtensions) => definitionSchemas(extensions).whole

/** The schemas of the definition language, whose parts are judged one by one. */
export interface DefinitionSchemas {
  readonly whole: z.ZodType<{ domain: Definition }>
  /** The whole, with anything for a resource. */
  readonly frame: z.ZodType<{ domain: Definition }>
  readonly resource: z.ZodType<ResourceDefinition>
}

/**
 * The definition language, after every directive is resolved. Keys that it does not list are reported as
 * `unrecognized_keys`, which the reader turns into warnings.
 */
export function definitionSchemas({
  typeAttributes,
  domainBlocks,
  resourceBlocks,
  features,
}: LanguageExtensions) {
  const field = fieldSchema(typeAttributes)
  const fields = z.record(z.string(), field)
  const blocks = Object.fromEntries(
    Object.entries(domainBlocks).map(([key, schema]) => [key, schema.optional()]),
  )
  const Block = z
    .strictObject({
      fields: fields.describe('What the block holds.'),
      label: Text.optional().describe('The name for people.'),
      icon: z.string().optional().describe('An icon, as <set>:<name>.'),
    })
    .meta({ id: 'Block' })
  const Api = z.strictObject({
    prefix: UrlPath.optional().describe('The prefix of all paths; /api/v1/<name> unless said.'),
    aliases: z.array(UrlPath).optional().describe('Further prefixes with the same answers.'),
  })
  const resource = resourceSchema(field, resourceBlocks, features)
  const domain = z
    .strictObject({
      ...blocks,
      name: z.string().min(1).describe('The name of the domain in paths, tables and actions.'),
      version: z
        .string({ error: 'must be text: quote it, as in version: "1.0"' })
        .min(1)
        .describe('Your own version of the definition, in quotes.'),
      label: Text.optional().describe('The name for people.'),
      description: z.string().optional().describe('What the domain is for.'),
      config: z.record(z.string(), JsonValue).optional().describe('Settings of the domain.'),
      properties: z.record(z.string(), field).optional().describe('Fields to refer to by $ref.'),
      objects: z.record(z.string(), fields).optional().describe('Groups of fields to take over by $merge.'),
      enums: z.record(z.string(), Enumeration).optional().describe('Closed lists of values, by name.'),
      resources: z.record(z.string(), resource).describe('The entities that are stored and served, by name.'),
      blocks: z.record(z.string(), Block).optional().describe('What fields of type blocks are made of.'),
      icons: JsonValue.optional().describe('Icon sets of your own.'),
      fonts: JsonValue.optional().describe('Where fonts come from.'),
      api: Api.optional().describe('Where the domain answers.'),
    })
    .meta({ id: 'Domain', description: 'A domain: its entities, and what the service does with them.' })
  const frame = domain.extend({ resources: z.record(z.string(), z.custom<ResourceDefinition>()) })
  return { whole: z.strictObject({ domain }), frame: z.strictObject({ domain: frame }), resource }
}

export type Definition = z.infer<ReturnType<typeof definitionSchemas>['whole']>['domain']
export type EnumerationDefinition = z.infer<typeof Enumeration>
