import type { Definition } from '../definition/schema/definition.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { ResourceDefinition } from '../definition/schema/resource.ts'
import type { Localizer } from './speech.ts'

type Name = NonNullable<Localizer['name']>
type Enumerations = NonNullable<Definition['enums']>
type StateMachine = NonNullable<ResourceDefinition['stateMachine']>
type Api = NonNullable<ResourceDefinition['api']>
type Validation = NonNullable<ResourceDefinition['validation']>

/** The definition with its texts as `name` answers them, each under the key by which locale files know it. */
export function withNamedTexts(definition: Definition, name: Name): Definition {
  const { enums, resources } = definition
  return {
    ...definition,
    ...(enums && { enums: mapped(enums, (one, key) => namedEnumeration(one, `enums.${key}`, name)) }),
    resources: mapped(resources, (one, key) => namedResource(one, key, name)),
  }
}

function namedEnumeration(
  { values, ...enumeration }: Enumerations[string],
  key: string,
  name: Name,
): Enumerations[string] {
  const facts = Array.isArray(values) ? Object.fromEntries(values.map((value) => [value, null])) : values
  return {
    ...enumeration,
    label: name(`${key}.label`, enumeration.label),
    values: mapped(facts, (one, value) => ({
      ...one,
      label: name(`${key}.values.${value}.label`, one?.label),
      description: name(`${key}.values.${value}.description`, one?.description),
    })),
  }
}

function namedResource(resource: ResourceDefinition, own: string, name: Name): ResourceDefinition {
  const key = `resources.${own}`
  const { label, plural, object, computed, relationships, stateMachine, api, validation } = resource
  const labelled = labels(name)
  return {
    ...resource,
    label: name(`${key}.label`, label),
    plural: name(`${key}.plural`, plural),
    object: mapped(object, (field, at) => namedField(field, `${key}.fields.${at}`, name)),
    ...(computed && {
      computed: mapped(computed, (one, at) =>
        labelled(typeof one === 'string' ? { expression: one } : one, `${key}.fields.${at}`),
      ),
    }),
    ...(relationships && {
      relationships: mapped(relationships, (one, at) => labelled(one, `${key}.relationships.${at}`)),
    }),
    ...(stateMachine && { stateMachine: namedStates(stateMachine, key, name) }),
    ...(api && { api: namedOperations(api, key, name) }),
    ...(validation && { validation: namedValidation(validation, `validation.messages.${own}`, name) }),
  }
}

const namedField = (field: string | FieldDefinition, key: string, name: Name): FieldDefinition =>
  labels(name)(typeof field === 'string' ? { type: field } : field, key)

/** A transition that leaves several states is one thing: what a locale file says of it counts for all of them. */
const namedStates = (machine: StateMachine, key: string, name: Name): StateMachine => ({
  ...machine,
  states: mapped(machine.states, ({ transitions, ...state }, at) => ({
    ...labels(name)(state, `${key}.states.${at}`),
    ...(transitions && {
      transitions: mapped(transitions, (one, by) => labels(name)(one, `${key}.transitions.${by}`)),
    }),
  })),
})

const namedOperations = (api: Api, key: string, name: Name): Api => ({
  ...api,
  ...(api.customOperations && {
    customOperations: api.customOperations.map((one) => labels(name)(one, `${key}.operations.${one.name}`)),
  }),
  ...(api.custom && {
    custom: mapped(api.custom, (one, at) => labels(name)(one, `${key}.operations.${at}`)),
  }),
})

/** Rules without a name have nothing that a locale file could say. */
function namedValidation(validation: Validation, key: string, name: Name): Validation {
  if (Array.isArray(validation))
    return validation.map((rule) =>
      rule.name === undefined ? rule : { ...rule, message: name(`${key}.${rule.name}`, rule.message) },
    )
  return mapped(validation, (one, at) => {
    const rule = typeof one === 'string' ? { expression: one } : one
    return { ...rule, message: name(`${key}.${rule.name ?? at}`, rule.message) }
  })
}

const labels =
  (name: Name) =>
  <T extends { readonly label?: Parameters<Name>[1] }>(one: T, key: string): T => ({
    ...one,
    label: name(`${key}.label`, one.label),
  })

const mapped = <T, U>(map: Readonly<Record<string, T>>, change: (one: T, key: string) => U) =>
  Object.fromEntries(Object.entries(map).map(([key, one]) => [key, change(one, key)]))
