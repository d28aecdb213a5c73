import { failureOf } from '@svc/automation/contract'
import { type Writes } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { keyOf, present, sourced } from '../records.ts'
import type { Schedule } from '../schedule.ts'
import { ORIGIN, type Setting } from '../setting.ts'
import { doBatch, doOne } from './deeds.ts'
import { moveOn } from './due-after.ts'
import { enterAll, entryOf } from './entries.ts'
import { enterFailure } from './failing.ts'
import { judge, type Verdict } from './judge.ts'
import { markAll } from './marks.ts'
import { supersededBy } from './superseded.ts'

/** What is fired: an occurrence of a recurring schedule, or whatever is due by now of a relative one. */
export interface Firing {
  readonly schedule: Schedule
  /** In milliseconds since 1970; undefined of a relative schedule. */
  readonly planned: number | undefined
  readonly run: string | null
}

/** Fires for one record, or once where the schedule is about none, in one transaction with its mark and its entry. */
export async function fireOne(firing: Firing, key: string | undefined, setting: Setting): Promise<void> {
  const { schedule, run } = firing
  let verdict: Verdict | undefined
  try {
    await setting.data.write(
      { caller: SYSTEM },
      async (writes) => {
        verdict = undefined
        const records = key === undefined ? [undefined] : await held(firing, [key], writes, setting)
        ;[verdict] = await judge(schedule, records, firing.planned, writes, setting)
        await moveOn(schedule, present(records), writes, setting)
        if (verdict === undefined || !(await markAll(schedule, [verdict], writes, setting))) return
        const id = setting.newId()
        const done =
          verdict.outcome === 'skip' ? undefined : await doOne(verdict, { schedule, writes, id, setting })
        const status = done === undefined ? 'skipped' : 'fired'
        const error = verdict.why && failureOf(verdict.why)
        const entry = entryOf(
          schedule,
          verdict,
          { id, run, status, ...(error && { error }), ...done },
          setting,
        )
        await enterAll(writes, [entry, ...supersededBy(schedule, verdict, run, setting)], setting)
      },
      { origin: ORIGIN },
    )
  } catch (error) {
    if (verdict === undefined) throw error
    await enterFailure({ schedule, verdicts: [verdict], run, error, isBatch: false }, setting)
  }
}

/** Fires for many records at once: one transaction for each deed that is due among them. */
export async function fireBatch(
  firing: Firing,
  keys: readonly string[],
  signal: AbortSignal,
  setting: Setting,
): Promise<void> {
  let overtaken = 0
  for (let isMore = true; isMore;) {
    signal.throwIfAborted()
    isMore = await fireSome(firing, keys, setting).catch((error: unknown) => {
      if (!(error instanceof Overtaken) || (overtaken += 1) > MOST_OVERTAKEN) throw error
      return true
    })
  }
}

/** How often others may be faster before the work is put off. */
const MOST_OVERTAKEN = 10

/** Does the first deed that is due for any of the records; answers whether there may be another. Throws Overtaken. */
async function fireSome(firing: Firing, keys: readonly string[], setting: Setting): Promise<boolean> {
  const { schedule, run } = firing
  let some: readonly Verdict[] = []
  let isMore = false
  try {
    await setting.data.write(
      { caller: SYSTEM },
      async (writes) => {
        some = []
        const records = await held(firing, keys, writes, setting)
        const all = await judge(schedule, records, firing.planned, writes, setting)
        const first = all[0]?.deed
        const chosen = all.filter(({ deed }) => deed === first)
        isMore = chosen.length < all.length
        some = chosen.filter(({ outcome }) => outcome === 'fire')
        if (!isMore) await moveOn(schedule, records, writes, setting)
        if (!(await markAll(schedule, chosen, writes, setting))) throw new Overtaken()
        const entries = chosen.flatMap((verdict) => [
          ...supersededBy(schedule, verdict, run, setting),
          ...(verdict.outcome === 'skip' ? [skippedEntry(schedule, verdict, run, setting)] : []),
        ])
        await enterAll(writes, [...entries, ...(await fireAll(some, firing, writes, setting))], setting)
      },
      { many: true, origin: ORIGIN },
    )
  } catch (error) {
    if (error instanceof Overtaken || some.length === 0) throw error
    await enterFailure({ schedule, verdicts: some, run, error, isBatch: true }, setting)
    return true
  }
  return isMore
}

const skippedEntry = (schedule: Schedule, verdict: Verdict, run: string | null, setting: Setting): Row =>
  entryOf(
    schedule,
    verdict,
    {
      id: setting.newId(),
      run,
      status: 'skipped',
      ...(verdict.why && { error: failureOf(verdict.why) }),
    },
    setting,
  )

/** Another server has marked one of the records meanwhile: they are looked at once more. */
class Overtaken extends Error {
  constructor() {
    super('another server was faster')
  }
}

async function fireAll(
  batch: readonly Verdict[],
  { schedule, run }: Firing,
  writes: Writes,
  setting: Setting,
): Promise<readonly Row[]> {
  const [first] = batch
  if (first === undefined) return []
  const id = setting.newId()
  const done = await doBatch(batch, { schedule, writes, id, setting })
  const records = batch.map(({ recordId }) => recordId)
  return [entryOf(schedule, first, { id, run, status: 'fired', records, ...done }, setting)]
}

/** Those of the records that are still the schedule's, held until the transaction ends. */
export async function held(
  { schedule, planned }: Firing,
  keys: readonly string[],
  writes: Writes,
  setting: Setting,
): Promise<readonly Row[]> {
  const { source } = schedule
  if (source === undefined) return []
  const { resource, key } = source
  return writes.select({
    table: resource.table,
    columns: resource.columns,
    where: {
      op: 'and',
      of: [
        { op: 'in', column: key, values: keys.map((one) => keyOf(source, one)) },
        sourced(schedule, planned, setting),
      ],
    },
    order: [{ column: key, descending: false }],
    lock: true,
  })
}
