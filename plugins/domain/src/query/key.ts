import { errors } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'

/** Reads a record's key from a path. A text that could be no key of this resource names no record. */
export function keyFrom(resource: Resource, id: string | undefined): Exclude<Value, null> {
  const key = id === undefined ? undefined : resource.key.compiled.parseText(id)
  // `1e0` is a number, and no key: a record has one address.
  const isOther = resource.key.column?.kind === 'integer' && String(key) !== id
  return keyOf(resource, isOther ? undefined : key, id)
}

/** Takes a key from a JSON body, or from where it was read as such; `shown` is how the client wrote it. */
export function keyOf({ key, name }: Resource, value: unknown, shown: unknown = value): Exclude<Value, null> {
  const checked = value === undefined || value === null ? undefined : key.compiled.check(value as Value)
  if (checked !== undefined && 'value' in checked && checked.value !== null) return checked.value
  throw errors.NOT_FOUND({ message: `There is no ${name} '${textOf(shown).slice(0, 100)}'` })
}

/** How a client wrote a key. Of an object that came as JSON: it may have a `toString` of its own. */
const textOf = (shown: unknown): string => (typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? ''))
