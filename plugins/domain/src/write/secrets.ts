import type { Change } from './change.ts'

interface Secret {
  readonly text: string
  readonly name: string
  readonly change: Change
}

/**
 * Puts hashes in place of secrets, which no answer ever shows, before anything waits for the transaction. The changes
 * are those of one request: there are as many secrets as can be hashed in its time, or none is.
 */
export function hashSecrets(changes: readonly Change[]): void | Promise<void> {
  const secrets = changes.flatMap(secretsOf)
  if (secrets.length > 0) return hashAll(secrets)
}

async function hashAll(secrets: readonly Secret[]): Promise<void> {
  const { runtime, signal } = secrets[0]!.change
  const hashes = await runtime.hashPasswords(
    secrets.map(({ text }) => text),
    signal(),
  )
  for (const [at, { change, name }] of secrets.entries()) change.values[name] = hashes[at] ?? null
}

function secretsOf(change: Change): readonly Secret[] {
  const { values, resource } = change
  return resource.secrets.flatMap(({ name }) => {
    const text = values[name]
    return typeof text === 'string' ? [{ text, name, change }] : []
  })
}
