import { errors, type FieldError } from './errors.ts'

/** The deepest nesting that a body may have. */
export const MAX_DEPTH = 64

const FORBIDDEN = new Set(['__proto__', 'prototype', 'constructor'])

/**
 * Refuses values that are JSON and yet harmful: nesting past 64 levels, keys that name an object's prototype,
 * and text with a NUL or a lone surrogate, which no store keeps the same.
 */
export function assertWellFormed(value: unknown): void {
  const fault = faultOf(value, 1)
  if (fault) throw errors.VALIDATION_ERROR({ errors: [fault] })
}

const TOO_DEEP: FieldError = {
  field: '',
  message: `Nested deeper than ${MAX_DEPTH} levels`,
  rule: 'type',
  params: { limit: MAX_DEPTH },
}
const UNCLEAN_KEY: FieldError = {
  field: '',
  message: 'A key has a NUL or a lone surrogate',
  rule: 'format',
  params: {},
}
const UNCLEAN_TEXT: FieldError = {
  field: '',
  message: 'The text has a NUL or a lone surrogate',
  rule: 'format',
  params: {},
}

/** Whether `text` can be stored and sent as it is. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

type Fault = FieldError | undefined

function faultOf(value: unknown, depth: number): Fault {
  if (typeof value === 'string') return textFault(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > MAX_DEPTH) return TOO_DEEP
  return Array.isArray(value) ? faultInList(value, depth) : faultInMembers(value, depth)
}

function faultInList(list: readonly unknown[], depth: number): Fault {
  for (let at = 0; at < list.length; at += 1) {
    const fault = faultOf(list[at], depth + 1)
    if (fault !== undefined) return below(String(at), fault)
  }
  return undefined
}

function faultInMembers(members: object, depth: number): Fault {
  // What JSON brings has members of its own alone.
  for (const key in members) {
    const fault = keyFault(key) ?? below(key, faultOf(members[key as keyof typeof members], depth + 1))
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Paths are put together where there is a fault: a body may have a hundred thousand members. */
function below(key: string, fault: Fault): Fault {
  return fault && { ...fault, field: fault.field === '' ? key : `${key}.${fault.field}` }
}

function keyFault(key: string): Fault {
  if (FORBIDDEN.has(key))
    return { field: key, message: `The key '${key}' is not allowed`, rule: 'unknown', params: { name: key } }
  return isCleanText(key) ? undefined : UNCLEAN_KEY
}

function textFault(text: string): Fault {
  return isCleanText(text) ? undefined : UNCLEAN_TEXT
}
