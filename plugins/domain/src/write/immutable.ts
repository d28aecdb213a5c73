import { isDeepStrictEqual } from 'node:util'
import { finding } from '../speech/sentences.ts'
import type { Change } from './change.ts'

/**
 * Refuses a change of the key or of an immutable field; sending the value that is stored is no change. Who may not
 * read the field could find its value by trying, and is refused either way.
 */
export function keepImmutable(change: Change): void {
  const { values, previous, resource, access, caller, faults, corrects } = change
  for (const name in values) {
    const field = resource.fields.get(name)!
    if (!field.primaryKey && (!field.immutable || corrects)) continue
    const mayCompare = caller.kind === 'system' || access.readableIn(previous!, name)
    if (mayCompare && isDeepStrictEqual(values[name], previous![name])) delete values[name]
    else faults.push({ ...finding('immutable'), field: name })
  }
}
