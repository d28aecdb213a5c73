import type { Change, Writes } from '@svc/domain/contract'
import type { Reader } from '@svc/store/contract'
import { moveStanding } from './consent/standing.ts'
import { moveRestriction } from './restriction/move.ts'
import type { Setting } from './setting.ts'
import { CONSENT } from './tables.ts'
import { findByHashes, isOfSeveral } from './subjects/find.ts'
import { canonical, hashOf } from './subjects/identifier.ts'
import { findingOf } from './subjects/who.ts'

/** Has what stands under one identifier of a person, consents and a restriction, stand under another. */
export async function moveSubject(
  from: string,
  to: string,
  secret: Uint8Array,
  setting: Setting,
  writes: Writes,
): Promise<void> {
  const { tables } = setting
  await writes.update({
    table: tables.consents,
    set: { subject_hash: to },
    where: { op: 'eq', column: CONSENT.subjectHash, value: from },
  })
  await moveStanding(from, to, tables, writes)
  await moveRestriction(from, to, secret, setting, writes)
}

/**
 * Who was known by an alternate alone is known by what is named first from the write on that brings both together: what stood under
 * the alternate follows. `restricted` is under what restrictions stand that the write has met.
 */
export async function followFirstName(
  { resource, record, values, previous }: Change,
  restricted: ReadonlySet<string>,
  setting: Setting,
  writes: Writes,
): Promise<void> {
  const { privacy, key } = setting
  const { primary, alternates } = privacy
  if (record === undefined || primary === undefined || alternates.length === 0) return
  const named = privacy
    .personalOf(resource)
    .filter(({ identifies, field }) => identifies && [primary, ...alternates].includes(field.name))
  const isNew = ({ name }: { readonly name: string }) =>
    Object.hasOwn(values, name) && (values[name] ?? null) !== (previous?.[name] ?? null)
  if (!named.some(({ field }) => isNew(field))) return
  const secret = await key.inside(writes)
  const hashes = named.flatMap(({ field }) => {
    const value = record[field.name] ?? null
    return value === null ? [] : [{ name: field.name, hash: hashOf(canonical(field, value), secret) }]
  })
  const first = hashes.find(({ name }) => name === primary)?.hash
  if (first === undefined) return
  const others = hashes.map(({ hash }) => hash).filter((hash) => hash !== first)
  for (const other of await bearing(others, restricted, setting, writes))
    if (await isOfOne(other, first, secret, setting, writes))
      await moveSubject(other, first, secret, setting, writes)
}

/** Those of some identifiers under which consents or a restriction stand. */
async function bearing(
  hashes: readonly string[],
  restricted: ReadonlySet<string>,
  { privacy, tables: { consents: table } }: Setting,
  reader: Reader,
): Promise<ReadonlySet<string>> {
  const found = new Set(hashes.filter((hash) => restricted.has(hash)))
  if (privacy.purposes.size === 0 || hashes.length === 0) return found
  const columns = [CONSENT.subjectHash]
  const where = { op: 'in', column: CONSENT.subjectHash, values: hashes } as const
  for (const row of await reader.select({ table, columns, where, order: [] }))
    found.add(String(row[CONSENT.subjectHash.name]))
  return found
}

/** Whether an alternate leads to this person and to nobody else. */
async function isOfOne(
  hash: string,
  first: string,
  secret: Uint8Array,
  setting: Setting,
  reader: Reader,
): Promise<boolean> {
  try {
    return (await findByHashes([hash], findingOf(reader, secret, setting)))?.hash === first
  } catch (error) {
    if (isOfSeveral(error)) return false
    throw error
  }
}
