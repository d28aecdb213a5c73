import type { Transaction } from '@svc/store/contract'
import type { Setting } from '../setting.ts'
import { findingOf } from '../subjects/who.ts'
import { isGone, moveGone } from './gone.ts'
import type { Tables } from '../tables.ts'
import {
  accountOf,
  liftRestriction,
  putRestriction,
  type Restriction,
  restrictionOf,
  settleRecords,
} from './kept.ts'

/** A restriction follows a person whose first identifier is another one by now; that of whoever it is already stays with it. */
export async function moveRestriction(
  from: string,
  to: string,
  secret: Uint8Array,
  setting: Setting,
  writes: Transaction,
): Promise<void> {
  const { tables, newId, privacy } = setting
  const restriction = await restrictionOf(from, tables, writes)
  if (restriction === undefined || from === to) return
  const mark = newId()
  const account = await accountOf(from, tables, writes)
  const { restricted: table } = tables
  const where = isGone(from, privacy.model.resources.keys())
  const gone = await writes.select({ table, columns: table.columns, where, order: [] })
  await liftRestriction(from, mark, tables, writes)
  await addRestriction(restriction, to, tables, writes)
  await moveGone(gone, to, tables, writes)
  await settleRecords(to, { mark, account }, { ...findingOf(writes, secret, setting), reader: writes })
}

/** The same where records are left that are known by the former one: it is in force for both. */
export async function copyRestriction(
  from: string,
  to: string,
  secret: Uint8Array,
  setting: Setting,
  writes: Transaction,
): Promise<void> {
  const { tables, newId } = setting
  const restriction = await restrictionOf(from, tables, writes)
  if (restriction === undefined || from === to) return
  await addRestriction(restriction, to, tables, writes)
  const finding = { ...findingOf(writes, secret, setting), reader: writes }
  await settleRecords(to, { mark: newId() }, finding)
}

async function addRestriction(
  { operations, since }: Restriction,
  to: string,
  tables: Tables,
  writes: Transaction,
): Promise<void> {
  const known = await restrictionOf(to, tables, writes)
  const all = new Set([...operations, ...(known?.operations ?? [])])
  const added = { subjectHash: to, operations: all, since: known?.since ?? since }
  await putRestriction(added, tables, writes)
}
