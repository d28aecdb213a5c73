import type { Value } from '@svc/store/contract'

/** A value as it stands in a text: null is nothing, items are joined by commas, an object is JSON. */
export function wordsOf(value: Value): string {
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(wordsOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
