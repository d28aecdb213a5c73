import type { Transaction } from '@svc/store/contract'
import type { Schedule } from '../schedule.ts'
import type { Setting } from '../setting.ts'
import type { DueDeed, Verdict } from './judge.ts'

/** Marks what is done, and what it supersedes. False where somebody else has marked any of it: then nothing may follow. */
export async function markAll(
  { name }: Schedule,
  verdicts: readonly Verdict[],
  transaction: Transaction,
  { tables }: Setting,
): Promise<boolean> {
  const rows = verdicts
    .flatMap((verdict): readonly DueDeed[] => [verdict, ...verdict.superseded])
    .map(({ recordId, tag }) => ({ schedule: name, recordId, tag }))
  const count = await transaction.insertRows({ table: tables.marks, rows, onConflict: 'ignore' })
  return count === rows.length
}
