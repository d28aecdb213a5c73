import { failureOf, isOutOfReach, OUT_OF_REACH_DELAYS_MS } from '@svc/automation/contract'
import { SYSTEM } from '@svc/kernel'
import type { Row, Transaction } from '@svc/store/contract'
import { present } from '../records.ts'
import type { Schedule } from '../schedule.ts'
import { momentText, type Setting } from '../setting.ts'
import { moveOn } from './due-after.ts'
import { enterAll, entryOf } from './entries.ts'
import type { Verdict } from './judge.ts'
import { markAll } from './marks.ts'
import { supersededBy } from './superseded.ts'

/** What a firing failed with, and for whom. */
export interface Failed {
  readonly schedule: Schedule
  readonly verdicts: readonly Verdict[]
  readonly run: string | null
  readonly error: unknown
  /** Whether the records are a batch. */
  readonly isBatch: boolean
}

/**
 * Enters a firing that failed, under its marks: what was out of reach is tried again, anything else waits for somebody who sets
 * it going. Nothing is entered where another server has seen to it meanwhile.
 */
export async function enterFailure(failed: Failed, setting: Setting): Promise<void> {
  const { schedule, verdicts, run, error, isBatch } = failed
  const [first] = verdicts
  if (first === undefined) throw error
  await setting.data.write({ caller: SYSTEM }, async (writes) => {
    if (!(await markAll(schedule, verdicts, writes, setting))) return
    await moveOn(schedule, present(verdicts.map(({ record }) => record)), writes, setting)
    const id = setting.newId()
    const goesOn = isOutOfReach(error)
    const entered = {
      id,
      run,
      status: goesOn ? ('running' as const) : ('failed' as const),
      error: failureOf(error),
      ...(isBatch && { records: verdicts.map(({ recordId }) => recordId) }),
    }
    await enterAll(
      writes,
      [
        entryOf(schedule, first, entered, setting),
        ...verdicts.flatMap((verdict) => supersededBy(schedule, verdict, run, setting)),
      ],
      setting,
    )
    if (goesOn) await tryAgain(id, 1, writes, setting)
  })
}

/** What a failed try of an entry sets in it; `tries` have failed before it in a row. */
export async function failAgain(
  before: Row,
  tries: number,
  error: unknown,
  transaction: Transaction,
  setting: Setting,
): Promise<Row> {
  const goesOn =
    isOutOfReach(error) && (await tryAgain(String(before['id']), tries + 1, transaction, setting))
  return {
    attempts: Number(before['attempts']) + 1,
    status: goesOn ? 'running' : 'failed',
    error: { ...failureOf(error) },
    firedAt: goesOn ? null : momentText(setting.env.now()),
  }
}

/** Puts the next try of a firing after so many that failed in a row; false where there is none any more. */
async function tryAgain(
  firing: string,
  tries: number,
  transaction: Transaction,
  { works, model, env }: Setting,
): Promise<boolean> {
  const delay = OUT_OF_REACH_DELAYS_MS[tries - 1]
  if (delay === undefined) return false
  await works.again.put(
    transaction,
    { domain: model.name, firing, tries },
    { at: momentText(env.now() + delay), key: firing },
  )
  return true
}
