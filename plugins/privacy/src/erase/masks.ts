import { createHmac } from 'node:crypto'
import type { Field } from '@svc/domain/contract'
import type { ColumnKind, Value } from '@svc/store/contract'
import { misfit, type Replacement } from '../compile/replacement.ts'

/** What replacements are made with: a key and a pseudonym, of this erase alone or lasting. */
export interface Masks {
  readonly pseudonym: string
  readonly key: Uint8Array
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const LENGTH = 16
const DAY_MS = 86_400_000
const NOWHERE = '@anonymous.invalid'

/** `p-` and 16 letters and digits. */
export const newPseudonym = (randomBytes: (size: number) => Uint8Array): string =>
  `p-${[...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`

/** What stands in place of a value; `nth` counts the values of one field, since a unique one takes nothing twice. */
export function replaced(
  value: Exclude<Value, null>,
  replacement: Replacement,
  field: Field,
  masks: Masks,
  nth: number,
): Value {
  const made = fits(replacement, field) ? valueOf(value, replacement, field, masks, nth) : undefined
  if (made !== undefined && (made !== null || !field.required)) return made
  return field.default ?? neutral(value, field, masks, nth)
}

const fits = (replacement: Replacement, field: Field): boolean => misfit(replacement, field) === undefined

function valueOf(
  value: Exclude<Value, null>,
  replacement: Replacement,
  field: Field,
  masks: Masks,
  nth: number,
): Value {
  switch (replacement.kind) {
    case 'preserve':
      return value
    case 'value':
      if (replacement.value === null) return null
      return storedForm(field, replacement.value)
    case 'pseudonym':
      return pseudonymFor(field, masks, nth)
    case 'hash6': {
      const hash = hashed(String(value), masks).slice(0, field.unique ? 12 : 6)
      return field.compiled.type.name === 'email' ? `${hash}${NOWHERE}` : hash
    }
    case 'fuzzyDate':
      return anotherDay(String(value), replacement.days, masks)
  }
}

const storedForm = (field: Field, value: Value): Value => {
  const checked = field.compiled.check(value)
  return 'value' in checked ? checked.value : value
}

const hashed = (text: string, { key }: Masks): string =>
  createHmac('sha256', key).update('value\0').update(text).digest('hex')

/** The days that every store holds, in milliseconds since 1970. */
const FIRST_DAY = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_DAY = Date.parse('9999-12-31T00:00:00.000Z')

/** Another day, at most so many before or after. */
function anotherDay(value: string, days: number, masks: Masks): string {
  const day = Date.parse(`${value.slice(0, 10)}T00:00:00.000Z`)
  const roll = Number.parseInt(hashed(value, masks).slice(0, 12), 16) % (2 * days)
  const offset = (roll < days ? roll - days : roll - days + 1) * DAY_MS
  const isThere = day + offset >= FIRST_DAY && day + offset <= LAST_DAY
  const moved = new Date(isThere ? day + offset : day - offset).toISOString()
  return value.length > 10 ? moved : moved.slice(0, 10)
}

function pseudonymFor({ compiled, unique }: Field, masks: Masks, nth: number): string {
  const { type } = compiled
  const own = unique && nth > 0 ? `${masks.pseudonym}-${nth + 1}` : masks.pseudonym
  if (type.column === 'uuid') return uuidOf(hashed(own, masks))
  return type.name === 'email' ? `${own}${NOWHERE}` : own
}

/** Hex digits as a UUID of version 8 (RFC 9562). */
const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`

const NEUTRAL: Readonly<Record<Exclude<ColumnKind, 'text' | 'uuid' | 'json'>, Value>> = {
  integer: 0,
  decimal: 0,
  float: 0,
  boolean: false,
  date: '1970-01-01',
  time: '00:00:00',
  datetime: '1970-01-01T00:00:00.000Z',
}

function neutral(value: Value, field: Field, masks: Masks, nth: number): Value {
  const { column } = field.compiled.type
  const [first] = field.enumeration?.values.keys() ?? []
  if (first !== undefined) return first
  if (column === 'text' || column === 'uuid') return pseudonymFor(field, masks, nth)
  if (column === 'json') return Array.isArray(value) ? [] : {}
  return storedForm(field, NEUTRAL[column])
}

const HASHED = /^[0-9a-f]{6,12}(@anonymous\.invalid)?$/
const PSEUDONYM = /^p-[a-z2-7]{16}(-\d+)?(@anonymous\.invalid)?$/

/**
 * Whether a value of a record that was pseudonymized before is what stands in place of another one. Of a day nobody can tell: where
 * the record was written since, it is moved once more.
 */
export function isReplaced(
  value: Exclude<Value, null>,
  { kind }: Replacement,
  field: Field,
  planned: Value,
  isMarked: boolean,
): boolean {
  if (planned === value) return true
  if (!isMarked || kind === 'fuzzyDate') return false
  if (kind === 'hash6') return HASHED.test(String(value))
  return PSEUDONYM.test(String(value)) && field.compiled.type.column === 'text'
}
