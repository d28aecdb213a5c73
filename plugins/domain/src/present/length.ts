import type { Value } from '@svc/store/contract'

/** What any value but a text counts as. */
const SHORT = 8

/** About how many characters a value has once it is written, with all that stands in it. */
export function lengthOf(value: Value | undefined): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return SHORT
  let length = SHORT
  if (Array.isArray(value)) for (const one of value) length += lengthOf(one)
  else for (const one of Object.values(value)) length += lengthOf(one)
  return length
}
