import type { Expression } from '@svc/expression/contract'
import type { Logger } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { descriptionOf } from '../blocks/description.ts'
import type { Description } from '../contract/description.ts'
import type { Placed } from '../contract/part.ts'
import type { Text } from '../definition/schema/text.ts'
import type { Enumeration } from '../model/enumeration.ts'
import type { Field } from '../model/field.ts'
import type { Members } from '../fields/field-type.ts'
import type { IconSet } from '../model/icons.ts'
import type { Model } from '../model/model.ts'
import {
  isExpression,
  type Permission,
  type Permissions,
  type PermissionsByName,
  writtenPermission,
} from '../model/permission.ts'
import { type Relationship, USERS } from '../model/relationship.ts'
import type { Features, Resource } from '../model/resource.ts'
import type { Locale } from '../speech/speech.ts'

/** What clients need to know of a domain, with labels in the reader's language. */
export function presentSchema(model: Model, locale: Locale, log: Logger) {
  const localize: Localize = (text) => model.localizer.text(text, locale)
  const describe = (placed: Placed) => descriptionOf(placed, localize, locale, log)?.schema
  const { resources, ...rest } = ownSchema(model, locale, localize)
  return {
    domain: { name: model.name, version: model.version },
    ...describedBy(undefined, model, describe),
    resources: mapped(model.resources, (resource) => ({
      ...resources[resource.name],
      ...describedBy(resource, model, describe),
    })),
    ...rest,
    roles: rolesOf(model),
  }
}

/** What is the same for all readers of a locale, and what texts it was made of. */
interface Kept {
  readonly edition: object
  readonly schema: OwnSchema
}
type OwnSchema = ReturnType<typeof makeOwnSchema>

const kept = new WeakMap<Model, Map<string, Kept>>()

/** What the engine itself says, made once for each locale where the localizer tells when its texts change. */
function ownSchema(model: Model, { localeResolved }: Locale, localize: Localize): OwnSchema {
  const edition = model.localizer.edition?.()
  if (edition === undefined) return makeOwnSchema(model, localize)
  const byLocale = kept.get(model) ?? new Map<string, Kept>()
  const known = byLocale.get(localeResolved)
  if (known?.edition === edition) return known.schema
  const schema = makeOwnSchema(model, localize)
  kept.set(model, byLocale.set(localeResolved, { edition, schema }))
  return schema
}

const makeOwnSchema = (model: Model, localize: Localize) => ({
  resources: mapped(model.resources, (resource) => presentResource(resource, localize)),
  blocks: mapped(model.blocks, (members, name) => presentBlock(name, members, model, localize)),
  icons: mapped(model.icons, (set) => presentIcons(set, localize)),
  fonts: mapped(model.fonts, (font) => ('asWritten' in font ? font.asWritten : font)),
  enums: mapped(model.enums, (enumeration, name) => presentEnumeration(enumeration, name, localize)),
})

type Localize = (text: Text | undefined) => string | undefined

/** What blocks say of their share of the domain, or of a resource. */
const describedBy = (
  place: Resource | undefined,
  { parts }: Model,
  describe: (placed: Placed) => Description['schema'],
): object => Object.assign({}, ...parts.filter(({ resource }) => resource === place).map(describe))

function presentResource(resource: Resource, localize: Localize) {
  const { name, label, plural, description, features, api, fields, relationships, scopes, definition } =
    resource
  return {
    label: localize(label) ?? name,
    plural: localize(definition.plural) ?? plural,
    description,
    fields: mapped(fields, (field) => presentField(field, resource, localize)),
    stateMachine: presentStateMachine(resource, localize),
    owner: resource.ownerField?.name,
    permissions: presentPermissions(resource.permissions),
    features: presentFeatures(features),
    relationships: mapped(relationships, (one) => presentRelationship(one, localize)),
    scopes: mapped(scopes, (scope) => ({ default: scope.default, description: scope.description })),
    api: {
      paths: api.paths,
      disabled: [...api.disabled],
      customOperations: api.customOperations.map(
        ({ name: operation, label: said, method, path, permission }) => ({
          name: operation,
          label: localize(said) ?? operation,
          method,
          path,
          permissions: writtenPermission(permission),
        }),
      ),
      under: api.under?.parent,
    },
    collectionPath: api.paths[0],
    collectionSegment: api.segment,
  }
}

const presentFeatures = ({ added, ...own }: Features) => ({ ...own, ...added })

/** Bounds that a client can check by itself. */
const BOUNDS = ['minLength', 'maxLength', 'min', 'max', 'pattern', 'autoNow'] as const

function presentField(field: Field, { relationships }: Resource, localize: Localize) {
  const { definition, enumeration, compiled } = field
  return {
    ...compiled.facts,
    type: compiled.type.name,
    label: localize(field.label) ?? field.name,
    description: field.description,
    primaryKey: field.primaryKey,
    required: field.required,
    unique: field.unique,
    immutable: field.immutable,
    hidden: field.hidden,
    computed: field.computed !== undefined,
    dynamic: field.dynamic || undefined,
    overridable: field.computed?.overridable || undefined,
    formulaOf: field.overrides,
    looksInto: lookedInto(field),
    default: field.default satisfies Value | undefined,
    ...Object.fromEntries(BOUNDS.map((bound) => [bound, definition[bound]])),
    enum: enumeration && (enumeration.name ?? [...enumeration.values.keys()]),
    ref: [...relationships.values()].flatMap((one) =>
      one.kind === 'belongsTo' && one.foreignKey === field.name ? targetOf(one) : [],
    )[0],
  }
}

/** The resources that a declared formula looks into; undefined where there are none. */
const lookedInto = ({ computed }: Field): readonly string[] | undefined => {
  const names = new Set(computed?.crossings.map(({ resource }) => resource))
  return names.size === 0 ? undefined : [...names]
}

const targetOf = ({ target }: Relationship): string => (target.kind === 'resource' ? target.name : USERS)

const presentRelationship = (relationship: Relationship, localize: Localize) => ({
  type: relationship.kind,
  label: localize(relationship.label) ?? relationship.name,
  resource: targetOf(relationship),
  foreignKey: relationship.foreignKey,
  junction: relationship.kind === 'belongsToMany' ? relationship.junction.name : undefined,
})

/** Transitions by name; one that several states offer lists all of them. */
function presentStateMachine({ stateMachine, permissions }: Resource, localize: Localize) {
  if (stateMachine === undefined) return undefined
  const offers = [...stateMachine.states.values()].flatMap(({ name: from, transitions }) =>
    [...transitions.values()].map((transition) => ({ from, transition })),
  )
  const byName = new Map(offers.map(({ transition }) => [transition.name, transition]))
  return {
    field: stateMachine.field,
    initial: stateMachine.initial,
    states: [...stateMachine.states.keys()],
    stateLabels: mapped(stateMachine.states, ({ name, label }) => localize(label) ?? name),
    transitions: mapped(byName, ({ to, label, guards, guard, requiredFields }, name) => ({
      from: offers.filter(({ transition }) => transition.name === name).map(({ from }) => from),
      to,
      label: localize(label) ?? name,
      permissions: listed(permissions.transitions[name] ?? guards ?? guard ?? permissions.update),
      requiredFields,
    })),
  }
}

/** Permissions as they are written: roles, or the text of an expression. */
function presentPermissions({ list, get, create, update, delete: remove, ...rest }: Permissions) {
  return {
    ...rewritten({ list, get, create, update, delete: remove }),
    fields: rest.fields,
    conditional: Object.fromEntries(
      Object.entries(rest.conditional).map(([operation, byState]) => [operation, rewritten(byState)]),
    ),
    transitions: rewritten(rest.transitions),
  }
}

const rewritten = (permissions: PermissionsByName) =>
  Object.fromEntries(
    Object.entries(permissions).map(([name, permission]) => [name, writtenPermission(permission)]),
  )

function presentEnumeration(
  { label: own, description, values }: Enumeration,
  name: string,
  localize: Localize,
) {
  return {
    label: localize(own) ?? name,
    description,
    values: mapped(values, ({ value, label, description: meaning, color, icon, final }) => ({
      label: localize(label) ?? value,
      description: localize(meaning),
      color,
      icon,
      final,
    })),
  }
}

/** A block as an editor needs it. */
function presentBlock(name: string, members: Members, { definition }: Model, localize: Localize) {
  const { label, icon, fields = {} } = definition.blocks?.[name] ?? {}
  return {
    label: localize(label) ?? name,
    icon,
    fields: mapped(members, (member, field) => {
      const written = fields[field]
      const bounds = typeof written === 'object' ? written : {}
      return {
        ...member.facts,
        type: member.type.name,
        label: localize(member.label) ?? field,
        required: member.required,
        default: member.default,
        ...Object.fromEntries(BOUNDS.map((bound) => [bound, bounds[bound]])),
      }
    }),
  }
}

function presentIcons({ label, url, names, texts, asWritten }: IconSet, localize: Localize) {
  if (asWritten !== undefined) return asWritten
  const icons = texts.size > 0 ? Object.fromEntries(texts) : names && [...names]
  return { label: localize(label), url, icons }
}

/** Every role that a permission of the domain names. */
function rolesOf({ resources }: Model): readonly string[] {
  const named = [...resources.values()].flatMap(({ permissions }) => {
    const { list, get, create, update, delete: remove, transitions, fields = {} } = permissions
    const byField = Object.values(fields).flatMap(({ read = [], write = [] }) => [...read, ...write])
    const byOperation = [list, get, create, update, remove, ...Object.values(transitions)].flatMap(rolesIn)
    return [...byOperation, ...byField]
  })
  return [...new Set(named)].filter((role) => !NO_ROLES.has(role)).toSorted()
}

const NO_ROLES = new Set(['*', 'authenticated', 'owner'])

const rolesIn = (permission: Permission): readonly string[] => (isExpression(permission) ? [] : permission)

const listed = (permission: readonly string[] | Expression): readonly string[] =>
  'source' in permission ? [permission.source] : permission

const mapped = <T, U>(
  map: ReadonlyMap<string, T>,
  present: (value: T, name: string) => U,
): Readonly<Record<string, U>> =>
  Object.fromEntries([...map].map(([name, value]) => [name, present(value, name)]))
