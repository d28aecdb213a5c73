import type { Call } from '@svc/kernel'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import { clearStanding, copyStanding } from './consent/standing.ts'
import type { Setting } from './setting.ts'
import { CONSENT, type Tables } from './tables.ts'

/** What somebody has consented to and withdrawn, the oldest first. */
export async function consentsOf(hash: string, tables: Tables, reader: Reader): Promise<readonly Row[]> {
  const rows = await reader.select({
    table: tables.consents,
    columns: tables.consents.columns,
    where: { op: 'eq', column: CONSENT.subjectHash, value: hash },
    order: [{ column: CONSENT.id, descending: false }],
  })
  return rows.map(presentConsent)
}

/** One entry, by its id. */
export async function consentOf(id: string, tables: Tables, reader: Reader): Promise<Row> {
  const [row = {}] = await reader.select({
    table: tables.consents,
    columns: tables.consents.columns,
    where: { op: 'eq', column: CONSENT.id, value: id },
    order: [],
    limit: 1,
  })
  return presentConsent(row)
}

const presentConsent = (row: Row): Row => ({
  id: row['id'] ?? null,
  purpose: row['purpose'] ?? null,
  status: row['status'] ?? null,
  grantedBy: row['granted_by'] ?? null,
  evidence: row['evidence'] ?? null,
  reason: row['reason'] ?? null,
  at: row['at'] ?? null,
  actor: { id: row['actor_id'] ?? null, username: row['actor_name'] ?? null },
})

/** What stands under one identifier of a person stands under another. */
export async function moveConsents(
  from: string,
  to: string,
  { tables }: Setting,
  writes: Transaction,
): Promise<void> {
  const where: Condition = { op: 'eq', column: CONSENT.subjectHash, value: from }
  await writes.update({ table: tables.consents, set: { subject_hash: to }, where })
  await copyStanding(from, to, tables, writes)
  await clearStanding(from, tables, writes)
}

/** The same where the former one is the person's still: it stands under both. */
export async function copyConsents(
  from: string,
  to: string,
  { tables, newId }: Setting,
  writes: Transaction,
): Promise<void> {
  const { consents: table } = tables
  const where: Condition = { op: 'eq', column: CONSENT.subjectHash, value: from }
  const order = [{ column: CONSENT.id, descending: false }]
  for (const row of await writes.select({ table, columns: table.columns, where, order }))
    await writes.insert({ table, values: { ...row, id: newId(), subject_hash: to } })
  await copyStanding(from, to, tables, writes)
}

/** With an erase every consent is withdrawn, and nothing is left of who gave it and by what. */
export async function settleConsents(
  hash: string,
  { caller }: Pick<Call, 'caller'>,
  { tables, env, newId }: Setting,
  writes: Transaction,
): Promise<void> {
  const where: Condition = { op: 'eq', column: CONSENT.subjectHash, value: hash }
  const inForce = standing(await consentsOf(hash, tables, writes))
  await clearStanding(hash, tables, writes)
  await writes.update({ table: tables.consents, set: { granted_by: null, evidence: null }, where })
  for (const purpose of inForce)
    await writes.insert({
      table: tables.consents,
      values: {
        id: newId(),
        subject_hash: hash,
        purpose,
        status: 'withdrawn',
        granted_by: null,
        evidence: null,
        reason: null,
        at: new Date(env.now()).toISOString(),
        actor_id: caller.id,
        actor_name: caller.username,
      },
    })
}

/** The purposes that are granted and not withdrawn. */
export function standing(entries: readonly Row[]): ReadonlySet<string> {
  const granted = new Set<string>()
  for (const { purpose, status } of entries)
    if (status === 'granted') granted.add(String(purpose))
    else granted.delete(String(purpose))
  return granted
}
