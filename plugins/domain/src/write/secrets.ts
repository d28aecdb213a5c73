import type { Change } from './change.ts'

/** Puts hashes in place of secrets, which no answer ever shows, before anything waits for the transaction. */
export async function hashSecrets(change: Change): Promise<void> {
  const { values, resource, runtime } = change
  for (const { name, compiled } of resource.fields.values()) {
    const secret = values[name]
    if (!compiled.type.readable && typeof secret === 'string')
      values[name] = await runtime.hashPassword(secret)
  }
}
