import { nearest } from '@svc/kernel'
import type { Json, Value } from '@svc/store/contract'
import { z } from 'zod'
import type { FieldDefinition } from '../../definition/schema/field.ts'
import { readAttribute } from '../attribute.ts'
import { FieldTypeError, together, within } from '../field-type-error.ts'
import type {
  AttributeSchema,
  Check,
  FieldContext,
  Inside,
  Member,
  Members,
  Remark,
  Schema,
  ValueFault,
} from '../field-type.ts'
import { finding } from '../../speech/sentences.ts'
import { sentenceOf } from '../../speech/sentence.ts'
import { checkJson, isObject, type JsonObject } from './json.ts'
import { accepted, faultsAt, MAX_FAULTS, refusal } from './rule.ts'

/** A field inside a field, as far as it has to be known before its own type reads it. */
export const InnerField = z.custom<string | FieldDefinition>(
  (value) =>
    typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
  'must be the name of a type or a map of attributes',
)

/** `fields`: a map from name to field. */
export const MEMBER_ATTRIBUTES: Readonly<Record<string, AttributeSchema>> = {
  fields: (field) => z.record(z.string(), field).describe('The fields inside the value, by name.'),
}

const Fields = z.record(z.string(), InnerField)
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** The check of an object with the members that `fields` declares; without `fields` it takes any object. */
export function compileObject(definition: FieldDefinition, context: FieldContext): Structured {
  const members = compileMembers(definition, context)
  if (members === undefined) return { check: checkObject, openapi: { type: 'object' } }
  return { check: memberCheck(members), openapi: memberSchema(members), members: { fields: members } }
}

/** What a structured value has to be, and what is known to stand inside of it. */
export interface Structured {
  readonly check: Check
  readonly openapi: Schema
  readonly members?: Inside
  readonly facts?: Readonly<Record<string, Value>>
}

function compileMembers(definition: FieldDefinition, context: FieldContext): Members | undefined {
  const fields = readAttribute(definition, 'fields', Fields)
  if (fields === undefined) return undefined
  const steps = Object.entries(fields).map(([name, written]) => () => {
    const member = within(['fields', name], () => compileMember(name, written, context))
    return [name, member] as const
  })
  return new Map(together(steps))
}

function compileMember(name: string, written: string | FieldDefinition, context: FieldContext): Member {
  if (!NAME.test(name) || name === '__proto__' || name === 'prototype' || name === 'constructor')
    throw new FieldTypeError([], `'${name}' cannot name a field`, 'Use letters, digits and _, no digit first')
  const definition: FieldDefinition = typeof written === 'string' ? { type: written } : written
  const compiled = context.compile(definition)
  return {
    ...compiled,
    label: definition.label,
    required: definition.required ?? false,
    default: storedDefault(definition, compiled.check),
  }
}

function storedDefault({ default: written }: FieldDefinition, check: Check): Value | undefined {
  if (written === undefined || written === null) return written
  const checked = check(written)
  if ('value' in checked) return checked.value
  throw new FieldTypeError(
    'default',
    `the default does not fit: ${checked.faults.slice(0, 1).map(sentenceOf).join('')}`,
  )
}

const NO_OBJECT = refusal('type.object')
const MISSING: readonly ValueFault[] = [finding('required.inside')]

/** Checks an object without declared members. */
const checkObject: Check = (value) => (isObject(value) ? checkJson(value) : NO_OBJECT)

/** Checks an object against its members; those that are absent take their default. */
export function memberCheck(members: Members): Check {
  return (value) => {
    if (!isObject(value)) return NO_OBJECT
    const faults = [...unknownFaults(value, members)]
    const stored: Record<string, Json> = {}
    const remarks: Remark[] = []
    for (const [name, member] of members) {
      if (faults.length >= MAX_FAULTS) break
      take(name, member, value, { stored, remarks, faults })
    }
    return faults.length === 0 ? accepted(stored, remarks) : { faults: faults.slice(0, MAX_FAULTS) }
  }
}

interface Taken {
  readonly stored: Record<string, Json>
  readonly remarks: Remark[]
  readonly faults: ValueFault[]
}

function take(name: string, member: Member, value: JsonObject, { stored, remarks, faults }: Taken): void {
  const sent = Object.hasOwn(value, name) ? value[name] : undefined
  const fallback = member.default ?? null
  if (sent === undefined && fallback !== null) {
    stored[name] = fallback
  } else if (sent === undefined || sent === null) {
    if (member.required) faults.push(...faultsAt(name, MISSING))
    else if (sent === null) stored[name] = null
  } else {
    const checked = member.check(sent)
    if ('value' in checked) {
      stored[name] = checked.value
      if (checked.remarks) remarks.push(...faultsAt(name, checked.remarks))
    } else faults.push(...faultsAt(name, checked.faults))
  }
}

function unknownFaults(value: JsonObject, members: Members): readonly ValueFault[] {
  const unknown = Object.keys(value).filter((name) => !members.has(name))
  return unknown.slice(0, MAX_FAULTS).map((name) => {
    const meant = nearest(name, members.keys())
    const fault =
      meant === undefined ? finding('unknown.member') : finding('unknown.similarMember', { meant })
    return { ...fault, path: name }
  })
}

/** The members in OpenAPI. */
function memberSchema(members: Members): Schema {
  const required = [...members].filter(([, member]) => member.required).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries([...members].map(([name, { openapi }]) => [name, openapi])),
    ...(required.length > 0 && { required }),
  }
}
