import {
  type Enumeration,
  type Field,
  isRequiredOnCreate,
  isSetByService,
  type Model,
  mustHold,
  type Relationship,
  type Resource,
} from '@svc/domain/contract'
import { comment, commented } from './comment.ts'
import { endpointTypes } from './endpoint-types.ts'
import { createTypeNames } from './type-names.ts'
import { typeOfSchema, unionOf } from './type-of-schema.ts'

/**
 * TypeScript declarations of a model, for its clients: each enumeration as a union, each resource as the record
 * that answers show and as the bodies of a create and of an update.
 */
export function typesOf(model: Model): string {
  const name = createTypeNames()
  const names = nameTypes(model, name)
  return `${[
    `/** Types of the domain '${model.name}', version ${commented(model.version)}. */`,
    JSON_TYPE,
    ...(usesUsers(model) ? [USER_TYPE] : []),
    ...[...model.enums].map(([name, one]) => enumerationType(one, names.enums.get(name)!)),
    ...[...model.resources.values()].flatMap((resource) => resourceTypes(resource, names)),
    ...endpointTypes(model, name),
  ].join('\n\n')}\n`
}

const JSON_TYPE = `/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }`

const USER_TYPE = `/** An account of the service. */
export interface UserReference {
  readonly id: string
  readonly username: string
}`

const usesUsers = ({ resources }: Model): boolean =>
  [...resources.values()].some(({ relationships }) =>
    [...relationships.values()].some(({ target }) => target.kind === 'users'),
  )

interface Names {
  readonly enums: ReadonlyMap<string, string>
  readonly resources: ReadonlyMap<string, ResourceNames>
}

interface ResourceNames {
  readonly record: string
  readonly create: string
  readonly update: string
}

function nameTypes({ enums, resources }: Model, name: (wanted: string) => string): Names {
  const records = [...resources.keys()].map((resource) => [resource, name(resource)] as const)
  return {
    resources: new Map(
      records.map(([resource, record]) => [
        resource,
        { record, create: name(`${record}Create`), update: name(`${record}Update`) },
      ]),
    ),
    enums: new Map([...enums.keys()].map((one) => [one, name(one)])),
  }
}

const enumerationType = ({ values, description }: Enumeration, name: string): string =>
  `${comment(description, '')}export type ${name} = ${unionOf([...values.keys()])}`

function resourceTypes(resource: Resource, names: Names): readonly string[] {
  const { record, create, update } = names.resources.get(resource.name)!
  const fields = [...resource.fields.values()]
  const sent = fields.filter((field) => !isSetByService(field, resource))
  const start = resource.stateMachine?.field
  return [
    interfaceOf(record, resource.description, [
      ...fields.flatMap((field) => shownMember(field, resource, names)),
      ...[...resource.relationships.values()]
        .filter(({ name }) => !resource.fields.has(name))
        .map((one) => includedMember(one, names)),
    ]),
    interfaceOf(
      create,
      `What a new ${record} is made of.`,
      sent
        .filter(({ name }) => name !== start)
        .map((field) => sentMember(field, resource, names, isRequiredOnCreate(field, resource))),
    ),
    interfaceOf(
      update,
      `What can change of a ${record}.`,
      sent
        .filter(({ immutable, primaryKey }) => !immutable && !primaryKey)
        .map((field) => sentMember(field, resource, names, false)),
    ),
  ]
}

const interfaceOf = (name: string, description: string | undefined, members: readonly string[]): string =>
  `${comment(description, '')}export interface ${name} {\n${members.map((member) => `${member}\n`).join('')}}`

/** A field of a record. What somebody may not see is absent for them, and a masked value is `***`. */
function shownMember(field: Field, resource: Resource, names: Names): readonly string[] {
  const { name, primaryKey, required, hidden, requestable, compiled } = field
  if (!compiled.type.readable || (hidden && !requestable)) return []
  const rule = resource.permissions.fields?.[name]
  const seenByAll = !hidden && (rule?.read === undefined || rule.read.includes('*') || rule.mask === true)
  const type = [
    typeOfField(field, names),
    ...(primaryKey || required ? [] : ['null']),
    ...(rule?.mask === true ? ["'***'"] : []),
  ].join(' | ')
  return [member(field, seenByAll ? '' : '?', type)]
}

function sentMember(field: Field, resource: Resource, names: Names, required: boolean): string {
  const type = typeOfField(field, names)
  return member(field, required ? '' : '?', mustHold(field, resource) ? type : `${type} | null`)
}

function includedMember({ name, kind, target }: Relationship, names: Names): string {
  const one = target.kind === 'users' ? 'UserReference' : names.resources.get(target.name)!.record
  const type = kind === 'belongsTo' ? `${one} | null` : `readonly ${one}[]`
  return `${comment('With `include` alone.', '  ')}  readonly ${name}?: ${type}`
}

const member = ({ name, description }: Field, mark: '' | '?', type: string): string =>
  `${comment(description, '  ')}  readonly ${name}${mark}: ${type}`

function typeOfField({ enumeration, compiled }: Field, names: Names): string {
  const named = enumeration?.name === undefined ? undefined : names.enums.get(enumeration.name)
  return named ?? typeOfSchema(compiled.openapi)
}
