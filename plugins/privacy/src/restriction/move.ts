import type { Transaction } from '@svc/store/contract'
import type { Setting } from '../setting.ts'
import { findingOf } from '../subjects/who.ts'
import { isGone, moveGone } from './gone.ts'
import { accountOf, liftRestriction, putRestriction, restrictionOf, settleRecords } from './kept.ts'

/** A restriction follows a person whose first identifier is another one by now; that of whoever it is already stays. */
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
  const known = await restrictionOf(to, tables, writes)
  if (known === undefined) await putRestriction({ ...restriction, subjectHash: to }, tables, writes)
  await moveGone(gone, to, tables, writes)
  await settleRecords(to, { mark, account }, { ...findingOf(writes, secret, setting), reader: writes })
}
