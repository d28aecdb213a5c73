import type { Condition, Reader, Transaction } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { holdingsOfHashes, holdingsOfRecords, place, PORTION } from '../subjects/find.ts'
import { CONSENT, HOLDING, STANDING, type Tables } from '../tables.ts'

const isOf = (hash: string): Condition => ({ op: 'eq', column: STANDING.hash, value: hash })

const isOne = (hash: string, purpose: string): Condition => ({
  op: 'and',
  of: [isOf(hash), { op: 'eq', column: STANDING.purpose, value: purpose }],
})

/** Notes that a purpose is in force for somebody. Until the transaction ends nobody else says otherwise. */
export async function beginStanding(
  hash: string,
  purpose: string,
  { standing: table }: Tables,
  writes: Transaction,
): Promise<void> {
  const columns = [STANDING.purpose]
  const held = { table, columns, where: isOne(hash, purpose), order: [], limit: 1, lock: true } as const
  while ((await writes.insert({ table, values: { hash, purpose }, onConflict: 'ignore' })) === 0)
    // Whoever ends it at once may have been faster.
    if ((await writes.select(held)).length > 0) return
}

/** Notes that a purpose is in force no more; false where it was not. Of several at once one ends it. */
export const endStanding = async (
  hash: string,
  purpose: string,
  { standing }: Tables,
  writes: Transaction,
): Promise<boolean> => (await writes.remove({ table: standing, where: isOne(hash, purpose) })) > 0

/** Nothing is in force any more for somebody. */
export async function clearStanding(hash: string, { standing }: Tables, writes: Transaction): Promise<void> {
  await writes.remove({ table: standing, where: isOf(hash) })
}

/** What is in force for somebody is so under another identifier too. */
export async function copyStanding(
  from: string,
  to: string,
  tables: Tables,
  writes: Transaction,
): Promise<void> {
  const { standing: table } = tables
  const rows = await writes.select({ table, columns: [STANDING.purpose], where: isOf(from), order: [] })
  for (const row of rows) await beginStanding(to, String(row[STANDING.purpose.name]), tables, writes)
}

/** Works out what is in force of what was granted and withdrawn, where nobody has noted it yet. */
export async function fillStanding(tables: Tables, writes: Transaction): Promise<void> {
  const { standing, consents } = tables
  if ((await writes.count({ table: standing, where: { op: 'always' } })) > 0) return
  const columns = [CONSENT.id, CONSENT.subjectHash, CONSENT.purpose, CONSENT.status]
  for (let after: string | undefined, isMore = true; isMore;) {
    const rows = await writes.select({
      table: consents,
      columns,
      where: after === undefined ? { op: 'always' } : { op: 'gt', column: CONSENT.id, value: after },
      order: [{ column: CONSENT.id, descending: false }],
      limit: PORTION,
    })
    for (const row of rows) {
      const note = row['status'] === 'granted' ? beginStanding : endStanding
      await note(String(row['subject_hash']), String(row['purpose']), tables, writes)
    }
    after = String(rows.at(-1)?.['id'])
    isMore = rows.length === PORTION
  }
}

/** What is looked at for consents. */
export interface Consenting {
  readonly tables: Tables
  readonly names: Pick<Privacy, 'primary' | 'alternates'>
}

/**
 * Those of some hashes whose people have consented to one of the purposes. Who is known here by an alternate has consented by what
 * is named first, where some record holds both.
 */
export async function consentedAmong(
  hashes: readonly string[],
  purposes: readonly string[],
  { tables, names: { primary, alternates } }: Consenting,
  reader: Reader,
): Promise<ReadonlySet<string>> {
  const found = await standingAmong(hashes, purposes, tables, reader)
  const open = [...new Set(hashes)].filter((hash) => !found.has(hash))
  if (open.length === 0 || primary === undefined || alternates.length === 0) return found
  const looking = { tables, reader }
  const lines = (await holdingsOfHashes(open, looking, alternates)).filter(({ isPast }) => !isPast)
  const owners = new Map<string, string>()
  for (const name of new Set(lines.map(({ resource }) => resource))) {
    const ids = new Set(lines.flatMap(({ resource, recordId }) => (resource === name ? [recordId] : [])))
    for (const first of await holdingsOfRecords({ name }, [...ids], looking, [primary]))
      if (!first.isPast) owners.set(place(first), first.hash)
  }
  const consenting = await standingAmong([...new Set(owners.values())], purposes, tables, reader)
  for (const line of lines) if (consenting.has(owners.get(place(line)) ?? '')) found.add(line.hash)
  return found
}

async function standingAmong(
  hashes: readonly string[],
  purposes: readonly string[],
  { standing: table }: Tables,
  reader: Reader,
): Promise<Set<string>> {
  const found = new Set<string>()
  const ofPurposes: Condition = { op: 'in', column: STANDING.purpose, values: purposes }
  for (let at = 0; at < hashes.length; at += PORTION) {
    const among: Condition = { op: 'in', column: STANDING.hash, values: hashes.slice(at, at + PORTION) }
    const where: Condition = { op: 'and', of: [among, ofPurposes] }
    const rows = await reader.select({ table, columns: [STANDING.hash], where, order: [] })
    for (const row of rows) found.add(String(row[STANDING.hash.name]))
  }
  return found
}

/** The rows of the index whose people have consented to a purpose, as the store finds them. */
export function isConsenting(purpose: string, { tables, names }: Consenting): Condition {
  const { holdings: table, standing } = tables
  const { primary, alternates } = names
  const inForce: Condition = {
    op: 'exists',
    table: standing,
    on: [[STANDING.hash, HOLDING.hash]],
    where: { op: 'eq', column: STANDING.purpose, value: purpose },
  }
  if (primary === undefined || alternates.length === 0) return inForce
  const current: Condition = { op: 'eq', column: HOLDING.isPast, value: false }
  const first: Condition = {
    op: 'exists',
    table,
    on: [
      [HOLDING.resource, HOLDING.resource],
      [HOLDING.recordId, HOLDING.recordId],
    ],
    where: { op: 'and', of: [{ op: 'eq', column: HOLDING.field, value: primary }, current, inForce] },
  }
  const byAlternate: Condition = {
    op: 'exists',
    table,
    on: [[HOLDING.hash, HOLDING.hash]],
    where: { op: 'and', of: [{ op: 'in', column: HOLDING.field, values: alternates }, current, first] },
  }
  return { op: 'or', of: [inForce, byAlternate] }
}
