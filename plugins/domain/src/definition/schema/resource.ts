import { z } from 'zod'
import { ComputedDefinition, type FieldDefinition } from './field.ts'
import { JsonValue, Permission, Text, UrlPath } from './text.ts'

const flag = z.boolean().optional()
const name = z.string().min(1)
const names = z.array(name)
const label = Text.optional().describe('The name for people.')
const description = z.string().optional().describe('What it is for.')

const Relationship = z
  .strictObject({
    type: z
      .enum(['belongsTo', 'hasMany', 'belongsToMany'])
      .describe('Where the key stands: here, in the target, or in a table between the two.'),
    target: name.describe('The resource at the other end; User means the accounts of the service.'),
    foreignKey: name.optional().describe('The field that holds the key.'),
    otherKey: name.optional().describe("belongsToMany: the column with the target's key."),
    through: name.optional().describe('belongsToMany: the name of the table between the two.'),
    timestamps: flag.describe('belongsToMany: whether the table keeps the time of each link.'),
    onDelete: z
      .enum(['cascade', 'restrict', 'nullify', 'none'])
      .optional()
      .describe('belongsTo: what happens here when the target is deleted.'),
    required: flag.describe('belongsTo: whether a record has to have a target.'),
    orderBy: z
      .record(z.string(), z.enum(['asc', 'desc']))
      .optional()
      .describe('hasMany: the order of the list, by the fields of the target.'),
    where: z
      .record(z.string(), JsonValue)
      .optional()
      .describe('hasMany: what fields of the target have to hold.'),
    label,
    description,
  })
  .meta({ id: 'Relationship' })

const Transition = z
  .strictObject({
    to: name.describe('The state that it leads to.'),
    guards: names.optional().describe('Roles, any of which may use it.'),
    guard: name.optional().describe('An expression that has to be true of the record and the caller.'),
    requiredFields: names.optional().describe('Fields that have to hold something afterwards.'),
    sets: z
      .record(z.string(), JsonValue)
      .optional()
      .describe('What it writes into fields: a value, now(), null, or $user.id and the like.'),
    label,
    description,
  })
  .meta({ id: 'Transition' })

const State = z
  .strictObject({
    description,
    label,
    final: flag.describe('Whether no transition leaves the state.'),
    transitions: z.record(z.string(), Transition).optional().describe('The ways out of the state, by name.'),
    onEnter: names.optional().describe('Hooks that run after a record came into the state.'),
    onExit: names.optional().describe('Hooks that run before a record leaves the state, and may stop it.'),
  })
  .meta({ id: 'State' })

const StateMachine = z
  .strictObject({
    field: name.describe('The field that holds the state.'),
    initial: name.describe('The state of a new record.'),
    states: z.record(z.string(), State).describe('The states by name.'),
  })
  .meta({ id: 'StateMachine' })

const FieldPermission = z.strictObject({
  read: names.optional().describe('Roles that see the field.'),
  write: names.optional().describe('Roles that may write the field.'),
  mask: flag.describe('Whether all others see *** in its place.'),
})

const Permissions = z
  .strictObject({
    list: Permission.optional().describe('Who may list records, count and export them.'),
    get: Permission.optional().describe('Who may see a record.'),
    create: Permission.optional().describe('Who may create records.'),
    update: Permission.optional().describe('Who may change a record.'),
    delete: Permission.optional().describe('Who may delete a record, and restore it.'),
    fields: z.record(z.string(), FieldPermission).optional().describe('Who may see and write single fields.'),
    conditional: z
      .record(z.string(), z.record(z.string(), Permission))
      .optional()
      .describe('By operation and state: who may, in place of the general rule.'),
    transitions: z
      .record(z.string(), Permission)
      .optional()
      .describe('By transition: who may, in place of its guards.'),
  })
  .meta({ id: 'Permissions' })

export const OPERATIONS = [
  'list',
  'get',
  'create',
  'update',
  'put',
  'delete',
  'count',
  'distinct',
  'bulk',
] as const

const CustomOperation = z
  .strictObject({
    name: name.describe('The name of the operation, and of the hook that handles it.'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('POST unless said.'),
    path: UrlPath.optional().describe('The path below the collection; /:id/<name> unless said.'),
    permissions: Permission.optional().describe('Who may call it; admins unless said.'),
    fields: z
      .record(z.string(), JsonValue)
      .optional()
      .describe('What it writes into fields, whatever a client sends; NOW() is the time.'),
    label,
    description,
  })
  .meta({ id: 'CustomOperation' })

const ResourceApi = z
  .strictObject({
    path: UrlPath.optional().describe('The path of the collection below the prefix.'),
    collection: UrlPath.optional().describe('The last segment of the path.'),
    prefix: UrlPath.optional().describe('A prefix in place of that of the domain.'),
    aliases: z.array(UrlPath).optional().describe('Further prefixes with the same answers.'),
    disable: z.array(z.enum(OPERATIONS)).optional().describe('Operations that are not offered.'),
    disable_list: flag.describe('Whether records cannot be listed.'),
    disable_get: flag.describe('Whether a record cannot be read by its key.'),
    disable_create: flag.describe('Whether records cannot be created.'),
    disable_update: flag.describe('Whether records can be neither changed nor replaced.'),
    disable_delete: flag.describe('Whether records cannot be deleted.'),
    customOperations: z.array(CustomOperation).optional().describe('Operations of your own.'),
    custom: z
      .record(z.string(), CustomOperation.omit({ name: true }))
      .optional()
      .describe('Operations of your own, by name.'),
    operation_overrides: z
      .record(z.string(), z.record(z.string(), JsonValue))
      .optional()
      .describe('Settings of single operations.'),
    under: name.optional().describe('The parent under whose path the resource answers.'),
    directAccess: z
      .array(z.enum(OPERATIONS))
      .optional()
      .describe('With under: operations that answer at a path of their own as well.'),
  })
  .meta({ id: 'ResourceApi' })

const featuresSchema = (added: Readonly<Record<string, z.ZodType>>) =>
  z
    .strictObject({
      ...added,
      softDelete: flag.describe('Whether deleted records are kept and can be restored; needs deletedAt.'),
      search: flag.describe('Whether lists can be searched by text.'),
      export: flag.describe('Whether records can be exported as CSV.'),
      import: flag.describe('Whether records can be imported.'),
      caching: flag.describe('Whether answers are kept for a while; no answer is older than the last write.'),
      cacheTtlSeconds: z.int().min(1).optional().describe('How long answers are kept; 300 unless said.'),
      transactions: flag.describe('Whether a write and all that belongs to it is one; true unless said.'),
      validationMode: z
        .enum(['strict', 'loose'])
        .optional()
        .describe('strict refuses unknown fields of a body, loose drops them; strict unless said.'),
    })
    .meta({ id: 'Features' })

const Validation = z
  .strictObject({
    name: name.optional().describe('The name of the rule in answers.'),
    expression: name.describe('What has to be true.'),
    message: Text.optional().describe('What the client is told otherwise.'),
    fields: names.optional().describe('The fields that the message is about.'),
    on: z
      .array(z.enum(['create', 'update']))
      .optional()
      .describe('Which writes are checked; both unless said.'),
  })
  .meta({ id: 'ValidationRule' })

const Scope = z
  .strictObject({
    filter: z.string().describe('A condition in SQL; an empty one takes every record.'),
    default: flag.describe('Whether it is taken where the caller names no scope.'),
    description,
  })
  .meta({ id: 'Scope' })

const Index = z
  .strictObject({
    fields: names.min(1).describe('The fields, the most telling first.'),
    unique: flag.describe('Whether two records may not have the same values.'),
    name: name.optional().describe('The name of the index.'),
    description,
  })
  .meta({ id: 'Index' })

/** What a resource may say; `field` is the schema of one field. */
export const resourceSchema = (
  field: z.ZodType<string | FieldDefinition>,
  blocks: Readonly<Record<string, z.ZodType>>,
  features: Readonly<Record<string, z.ZodType>> = {},
) =>
  z
    .strictObject({
      ...optional(blocks),
      object: z.record(z.string(), field).describe('The fields by name.'),
      label,
      plural: Text.optional().describe('The name of several, for people.'),
      description,
      icon: z.string().optional().describe('An icon, as <set>:<name>.'),
      renamedFrom: z.string().optional().describe('The former name, from which the records are kept.'),
      mode: z.enum(['sheet']).optional().describe('sheet lets users add columns and formulas of their own.'),
      features: featuresSchema(features)
        .optional()
        .describe('What the resource does besides storing records.'),
      stateMachine: StateMachine.optional().describe('The states of a record, and the ways between them.'),
      owner: name
        .optional()
        .describe('The field that says whose a record is, in place of the one that its name tells.'),
      permissions: Permissions.optional().describe('Who may do what; what is left out is for admins alone.'),
      scopes: z.record(z.string(), Scope).optional().describe('Named parts of the list.'),
      api: ResourceApi.optional().describe('Where the resource answers, and with what.'),
      indexes: z.array(Index).optional().describe('What the database finds records fast by.'),
      relationships: z
        .record(z.string(), Relationship)
        .optional()
        .describe('How records lead to other records.'),
      computed: z
        .record(z.string(), ComputedDefinition)
        .optional()
        .describe('Fields that the service works out.'),
      validation: z
        .union([z.array(Validation), z.record(z.string(), z.union([z.string().min(1), Validation]))])
        .optional()
        .describe('What has to be true of a record: a list of rules, or rules by name.'),
    })
    .meta({ id: 'Resource' })

const optional = (blocks: Readonly<Record<string, z.ZodType>>) =>
  Object.fromEntries(Object.entries(blocks).map(([key, schema]) => [key, schema.optional()]))

export type ResourceDefinition = z.infer<ReturnType<typeof resourceSchema>>
export type RelationshipDefinition = z.infer<typeof Relationship>
export type StateMachineDefinition = z.infer<typeof StateMachine>
export type PermissionsDefinition = z.infer<typeof Permissions>
export type CustomOperationDefinition = z.infer<typeof CustomOperation>
export type ResourceApiDefinition = z.infer<typeof ResourceApi>
export type ValidationDefinition = z.infer<typeof Validation>
