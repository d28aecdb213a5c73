import {
  type Enumeration,
  type EnumerationValue,
  type Field,
  isSetByService,
  mustHold,
  type Resource,
  type Text,
} from '@svc/domain/contract'
import { referenceOf } from './examples/bodies.ts'
import type { Schema } from './parts.ts'
import { paragraphs, shownText } from './text.ts'

/** A field as records show it. */
export function shownSchema(field: Field, resource: Resource): Schema {
  const isMasked = resource.permissions.fields?.[field.name]?.mask === true
  const value = orNull(valueSchema(field, resource), field.required || field.primaryKey)
  const note = field.hidden && 'Left out unless `fields` asks for it.'
  return {
    ...(isMasked ? orMask(value) : value),
    ...said(field, resource, keyNote(field, resource), note),
    ...(isSetByService(field, resource) && { readOnly: true }),
  }
}

/**
 * A field as the body of a new record brings it. Its default is told in words: makers of typed clients take a field
 * with the keyword `default` for one that is always there, and would ask for it in every body.
 */
export const createdSchema = (field: Field, resource: Resource): Schema => ({
  ...orNull(valueSchema(field, resource), mustHold(field, resource)),
  ...said(field, resource, ...writingNotes(field, resource), defaultNote(field, resource)),
})

/** A field as the body of a change brings it: what is absent stays as it is. */
export const changedSchema = (field: Field, resource: Resource): Schema => ({
  ...orNull(valueSchema(field, resource), mustHold(field, resource)),
  ...said(field, resource, ...writingNotes(field, resource)),
})

const known = new WeakMap<Field, Schema>()

/** The values of a field, null apart; worked out once, as every document and every operation asks for it. */
export function valueSchema(field: Field, resource: Resource): Schema {
  const { compiled, enumeration } = field
  const schema = known.get(field) ?? {
    ...portable(compiled.openapi),
    ...(enumeration && enumerationNotes(enumeration, resource)),
  }
  known.set(field, schema)
  return schema
}

/** Whether answers may show the field to anybody at all, hidden or not. */
export const isShown = ({ compiled, hidden, requestable }: Field): boolean =>
  compiled.type.readable && (!hidden || requestable)

/** Whether a body may bring the field. */
export const isWritable = (field: Field, resource: Resource): boolean => !isSetByService(field, resource)

/** Whether the public document names the field among those of a body; a secret that is only written is no hidden field. */
export const isWrittenInPublic = (field: Field, resource: Resource): boolean =>
  isWritable(field, resource) && (isShown(field) || !field.compiled.type.readable)

function writingNotes(field: Field, resource: Resource): readonly (string | false)[] {
  const { stateMachine } = resource
  return [
    keyNote(field, resource),
    field.immutable && 'Cannot change once the record exists.',
    field.unique && 'No two records have the same.',
    field.from !== undefined && `Made from \`${field.from}\` where it is absent.`,
    field.name === stateMachine?.field &&
      `A new record starts as \`${stateMachine.initial}\`, whatever is sent; later another state makes the transition to it.`,
  ]
}

/** Whose key a field holds. */
function keyNote(field: Field, resource: Resource): string | false {
  const { target } = referenceOf(field, resource) ?? {}
  if (target === undefined) return false
  return target.kind === 'users' ? 'The id of an account.' : `The key of a \`${target.name}\`.`
}

const defaultNote = ({ name, default: value = null }: Field, { stateMachine }: Resource): string | false =>
  value !== null && name !== stateMachine?.field && `\`${JSON.stringify(value)}\` where it is absent.`

const said = (
  field: Field,
  resource: Resource,
  ...notes: readonly (string | undefined | false)[]
): Schema => {
  const title = shownText(field.label, resource)
  const description = paragraphs(field.description, ...notes)
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
}

/** Lets null pass beside a schema's own values. */
function orNull(schema: Schema, isThere: boolean): Schema {
  const { type, enum: values } = schema
  if (isThere || typeof type !== 'string') return schema
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

const orMask = (schema: Schema): Schema => ({
  anyOf: [schema, { type: 'string', const: '***', description: 'In place of a value that you may not see' }],
})

/** What else is said about the values of an enumeration, by value. */
function enumerationNotes(enumeration: Enumeration, resource: Resource): Schema {
  const notes = {
    'x-enum-labels': noted(enumeration, resource, ({ label }) => label),
    'x-enum-colors': noted(enumeration, resource, ({ color }) => color),
    'x-enum-descriptions': noted(enumeration, resource, ({ description }) => description),
  }
  return Object.fromEntries(Object.entries(notes).filter(([, found]) => Object.keys(found).length > 0))
}

function noted(
  { values }: Enumeration,
  resource: Resource,
  read: (facts: EnumerationValue) => Text | undefined,
): Readonly<Record<string, string>> {
  const entries = [...values].flatMap(([value, facts]) => {
    const text = shownText(read(facts), resource)
    return text === undefined ? [] : [[value, text] as const]
  })
  return Object.fromEntries(entries)
}

/** A schema without the patterns that a reader of JSON Schema could not compile (ECMA-262 with the flag `u`). */
function portable(schema: Schema): Schema {
  const entries = Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'pattern' && typeof value === 'string')
      return compiles(value) ? [[key, value]] : [['x-pattern', value]]
    return [[key, portableValue(value)]]
  })
  return Object.fromEntries(entries)
}

const portableValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(portableValue)
  return isSchema(value) ? portable(value) : value
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
