import { setImmediate as aside } from 'node:timers/promises'
import type { Condition, Row, Transaction, Value } from '@svc/store/contract'
import { enter } from '../log.ts'
import { unscrubbed } from '../scrub/unscrubbed.ts'
import { ENTRY } from '../tables.ts'
import { dueRows, type Sweep, sweepsOf } from './due.ts'
import { type Counted, judgeSlice, type Sweeping, sweepSlice } from './slice.ts'

/** How many records one transaction of a sweep sees to: others wait no longer than that. */
const SLICE = 25
/** How many are looked for at once, before any is held. */
const LOOKED_FOR = 500

/** What a sweep has come to, as it is answered. */
export interface SweepItem extends Counted {
  readonly category: string
  readonly resource: string
  readonly action: string
}

/** How sweeps are run. */
export interface Run extends Sweeping {
  readonly dryRun: boolean
  /** Whether to put on record that there was nothing to do. */
  readonly isAsked: boolean
  isOver(): boolean
}

/** Sees to everything that is due, in slices; a dry run counts alone. */
export async function runSweeps(run: Run): Promise<readonly SweepItem[]> {
  const items: SweepItem[] = []
  for (const sweep of sweepsOf(run.setting.privacy)) items.push(await runSweep(sweep, run))
  if (!run.dryRun && items.some(({ action }) => action !== 'archive')) await scrubOnce(run)
  return items
}

/**
 * Files are rewritten once behind all slices: writes wait for that. What a server that died has left undone is seen by the log, and
 * done behind the next sweep.
 */
async function scrubOnce({ setting, data, call }: Run): Promise<void> {
  if ((await unscrubbed(setting.tables, data.reader)).length === 0) return
  await data.write({ caller: call.caller }, (writes) => setting.scrub(writes))
}

async function runSweep(sweep: Sweep, run: Run): Promise<SweepItem> {
  const { setting, data, dryRun } = run
  const counted = { due: 0, done: 0, held: 0 }
  const facts = { category: sweep.entry.category, resource: sweep.resource.name, action: sweep.action }
  const log = createEntry(facts, run)
  for (let after: Value = null; !run.isOver();) {
    const keys: readonly Exclude<Value, null>[] = await keysAfter(sweep, after, run)
    for (let at = 0; at < keys.length && !run.isOver(); at += SLICE) {
      const some = keys.slice(at, at + SLICE)
      const come: Counted = dryRun
        ? await judgeSlice(sweep, some, setting, data.reader)
        : await data.write({ caller: run.call.caller }, async (writes) => {
            const found = await sweepSlice(sweep, some, run, writes)
            if (found.done > 0) await log.write(added(counted, found), writes)
            return found
          })
      if (come.done > 0) log.isWritten()
      Object.assign(counted, added(counted, come))
      await aside()
    }
    if (keys.length < LOOKED_FOR) break
    after = keys.at(-1) ?? null
  }
  if (run.isAsked && counted.done === 0)
    await data.write({ caller: run.call.caller }, (writes) => log.write(counted, writes))
  return { ...facts, ...counted }
}

const added = (one: Counted, other: Counted): Counted => ({
  due: one.due + other.due,
  done: one.done + other.done,
  held: one.held + other.held,
})

async function keysAfter(
  sweep: Sweep,
  after: Value,
  { setting: { tables, env }, data }: Run,
): Promise<readonly Exclude<Value, null>[]> {
  const column = sweep.resource.key.column!
  const where: readonly Condition[] = [
    ...(after === null ? [] : [{ op: 'gt' as const, column, value: after }]),
    dueRows(sweep, env.now(), tables),
  ]
  const rows = await data.reader.select({
    table: sweep.resource.table,
    columns: [column],
    where: { op: 'and', of: where },
    order: [{ column, descending: false }],
    limit: LOOKED_FOR,
  })
  return rows.flatMap((row) => {
    const key = row[column.name] ?? null
    return key === null ? [] : [key]
  })
}

/** The entry of the log about one sweep: each slice writes in its own transaction how far it has come. */
function createEntry(facts: Row, { setting, call, dryRun }: Run) {
  let id: string | undefined
  let known: string | undefined
  return {
    async write(counted: Counted, writes: Transaction): Promise<void> {
      const details = { ...facts, ...counted }
      if (known !== undefined) {
        const where: Condition = { op: 'eq', column: ENTRY.id, value: known }
        const set = { details, scrubbed_at: null }
        return void (await writes.update({ table: setting.tables.log, set, where }))
      }
      const outcome = dryRun ? 'dryRun' : 'done'
      const entered = { action: 'sweep', subjectHash: null, caller: call.caller, outcome, details } as const
      ;({ id } = await enter(entered, setting, writes))
    },
    /** What was written is durable: the next slice changes it. */
    isWritten(): void {
      known ??= id
    },
  }
}
