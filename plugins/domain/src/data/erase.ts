import type { Condition, Value } from '@svc/store/contract'
import type { Kept } from '../contract/part.ts'
import type { Writes } from '../contract/writes.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'

type Key = Exclude<Value, null>

/** Where blocks keep values of a resource's records beside them. */
export const keptOf = (resource: Resource, { parts }: Model): readonly Kept[] =>
  parts.flatMap(({ part }) => part.keeps?.(resource) ?? [])

/** Erases what blocks keep of a record beside it. */
export async function eraseKept(resource: Resource, key: Key, model: Model, writes: Writes): Promise<void> {
  for (const kept of keptOf(resource, model)) await eraseRows(kept, key, writes)
  for (const { part } of model.parts) await part.erase?.(resource, key, writes)
}

async function eraseRows({ table, recordId, where, erased }: Kept, key: Key, writes: Writes): Promise<void> {
  const value = recordId.kind === 'text' ? String(key) : key
  const about: Condition = { op: 'eq', column: recordId, value }
  const rows: Condition = where === undefined ? about : { op: 'and', of: [about, where] }
  if (erased === undefined) await writes.remove({ table, where: rows })
  else await writes.update({ table, where: rows, set: erased })
}
