import { errors } from './errors.ts'

/** The deepest nesting that a body may have. */
export const MAX_DEPTH = 64

const FORBIDDEN = new Set(['__proto__', 'prototype', 'constructor'])

/**
 * Refuses values that are JSON and yet harmful: nesting past 64 levels, keys that name an object's prototype,
 * and text with a NUL or a lone surrogate, which no store keeps the same.
 */
export function assertWellFormed(value: unknown): void {
  const fault = faultOf(value, '', 1)
  if (fault) throw errors.VALIDATION_ERROR({ errors: [fault] })
}

/** Whether `text` can be stored and sent as it is. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

type Fault = { field: string; message: string; rule: string } | undefined

function faultOf(value: unknown, path: string, depth: number): Fault {
  if (typeof value === 'string') return textFault(value, path)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > MAX_DEPTH)
    return { field: path, message: `Nested deeper than ${MAX_DEPTH} levels`, rule: 'type' }
  if (Array.isArray(value)) return firstFault(value.entries(), path, depth)
  return firstFault(Object.entries(value), path, depth)
}

function firstFault(
  entries: Iterable<readonly [string | number, unknown]>,
  path: string,
  depth: number,
): Fault {
  for (const [key, value] of entries) {
    const at = path === '' ? String(key) : `${path}.${key}`
    const fault = (typeof key === 'string' ? keyFault(key, at) : undefined) ?? faultOf(value, at, depth + 1)
    if (fault) return fault
  }
  return undefined
}

function keyFault(key: string, path: string): Fault {
  if (FORBIDDEN.has(key)) return { field: path, message: `The key '${key}' is not allowed`, rule: 'unknown' }
  return isCleanText(key)
    ? undefined
    : { field: '', message: 'A key has a NUL or a lone surrogate', rule: 'format' }
}

function textFault(text: string, path: string): Fault {
  if (isCleanText(text)) return undefined
  return { field: path, message: 'The text has a NUL or a lone surrogate', rule: 'format' }
}
