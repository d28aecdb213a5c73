import type { Transaction } from '@svc/store/contract'
import type { Setting } from '../setting.ts'
import { findingOf } from '../subjects/who.ts'
import { accountOf, liftRestriction, putRestriction, restrictionOf, settleRecords } from './kept.ts'

/** A restriction follows a person whose first identifier is another one by now; that of whoever it is already stays. */
export async function moveRestriction(
  from: string,
  to: string,
  secret: Uint8Array,
  setting: Setting,
  writes: Transaction,
): Promise<void> {
  const { tables, newId } = setting
  const restriction = await restrictionOf(from, tables, writes)
  if (restriction === undefined || from === to) return
  const mark = newId()
  const account = await accountOf(from, tables, writes)
  await liftRestriction(from, mark, tables, writes)
  const known = await restrictionOf(to, tables, writes)
  if (known === undefined) await putRestriction({ ...restriction, subjectHash: to }, tables, writes)
  await settleRecords(to, { mark, account }, { ...findingOf(writes, secret, setting), reader: writes })
}
