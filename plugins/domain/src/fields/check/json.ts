import type { Json } from '@svc/store/contract'
import type { Check } from '../field-type.ts'
import { refusal } from './rule.ts'

/** A JSON object, as told from lists and bare values. */
export interface JsonObject {
  readonly [key: string]: Json
}

export const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** False where a number inside is not finite, as one read from `1e999` is not: it would be stored as null. */
function isFiniteJson(value: Json): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return isList(value) ? value.every(isFiniteJson) : Object.values(value).every(isFiniteJson)
}

const NOT_FINITE = refusal('type.finite')

/** Takes any JSON value. */
export const checkJson: Check = (value) => (isFiniteJson(value) ? { value } : NOT_FINITE)

/** A text that two JSON values share exactly if they are equal; the order of keys is no part of a value. */
export function identity(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(identity).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${identity(value[key]!)}`)
  return `{${members.join(',')}}`
}
