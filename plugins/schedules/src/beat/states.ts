import { type Data, type Model } from '@svc/domain/contract'
import { type Environment, SYSTEM } from '@svc/kernel'
import type { Row, Transaction } from '@svc/store/contract'
import type { Schedule } from '../schedule.ts'
import { type KnownState, momentText, readOne, rowWith, type Works } from '../setting.ts'
import { missedBy, putOccurrences } from './missed.ts'
import type { Tables } from '../tables/tables.ts'
import { textOf } from '../timing-text.ts'

/** What schedules are entered with when their model comes into force. */
export interface Entering {
  readonly model: Model
  readonly tables: Tables
  readonly env: Environment
  readonly works: Works
  readonly data: Data
}

/** Enters the schedules of a model that comes into force, and answers what is known of each. */
export async function enterStates(
  schedules: Iterable<Schedule>,
  entering: Entering,
): Promise<ReadonlyMap<string, KnownState>> {
  const { data, tables } = entering
  const names = new Set<string>()
  for (const schedule of schedules) {
    names.add(schedule.name)
    await data.write({ caller: SYSTEM }, (writes) => enter(schedule, writes, entering))
  }
  const rows = await data.reader.select({
    table: tables.states,
    columns: tables.states.columns,
    where: { op: 'always' },
    order: [],
  })
  for (const row of rows)
    if (!names.has(String(row['name'])) && row['text'] !== '') await forget(row, entering)
  return new Map(rows.map((row) => [String(row['name']), knownIn(row)]))
}

const knownIn = (row: Row): KnownState => ({
  firstAt: Date.parse(String(row['firstAt'])),
  since: Date.parse(String(row['since'])),
})

async function enter(schedule: Schedule, transaction: Transaction, entering: Entering): Promise<void> {
  const { tables, env } = entering
  const { name, switch: own } = schedule
  const text = textOf(schedule)
  const now = env.now()
  const at = momentText(now)
  const known = await readOne(transaction, tables.states, { name })
  if (known === undefined) {
    const values = {
      name,
      firstAt: at,
      text,
      since: at,
      enabled: own.enabled,
      nextAt: nextOf(schedule, now, now),
    }
    const count = await transaction.insert({ table: tables.states, values, onConflict: 'ignore' })
    if (count === 1) await refill(schedule, text, transaction, entering)
    return
  }
  if (known['text'] === text) return
  const { count } = await transaction.update({
    table: tables.states,
    set: { text, since: at, enabled: own.enabled, nextAt: nextOf(schedule, now, now) },
    where: rowWith(tables.states, { name, text: String(known['text']) }),
  })
  if (count === 1) await refill(schedule, text, transaction, entering)
}

/** A schedule that the definition has no more: under the same name it begins anew some day, but for its marks. */
async function forget(row: Row, { data, tables }: Entering): Promise<void> {
  await data.write({ caller: SYSTEM }, (writes) =>
    writes.update({
      table: tables.states,
      set: { text: '', nextAt: null },
      where: rowWith(tables.states, { name: String(row['name']) }),
    }),
  )
}

async function refill(
  { name, timing }: Schedule,
  text: string,
  transaction: Transaction,
  { works, model }: Entering,
): Promise<void> {
  if (timing.kind === 'recurring') return
  await works.fill.put(transaction, { domain: model.name, schedule: name, text, stage: 'clear', after: null })
}

const nextOf = ({ timing, zone }: Schedule, now: number, since: number): string | null => {
  const next = timing.kind === 'recurring' ? timing.recurrence.next(now, zone, since) : undefined
  return next === undefined ? null : momentText(next)
}

/** Occurrences that were planned before a schedule was switched off, and that no heartbeat saw until then, are made up for. */
async function makeUp(
  schedule: Schedule,
  { nextAt, offAt }: Row,
  writes: Transaction,
  { env, heartbeatMs, model, stateOf, works }: Settling,
): Promise<void> {
  if (typeof nextAt !== 'string' || typeof offAt !== 'string' || nextAt > offAt) return
  const { since } = stateOf(schedule.name)
  const range = { first: Date.parse(nextAt), until: Date.parse(offAt), now: env.now(), since, heartbeatMs }
  await putOccurrences(writes, schedule, missedBy(schedule, range), { model, works })
}

/** What switches are settled with. */
interface Settling extends Entering {
  readonly heartbeatMs: number
  stateOf(name: string): KnownState
}

/**
 * What was switched on again begins with its next moment: nothing is made up for of the time in between. What is switched off
 * is noted, so that this is known whoever looks next.
 */
export async function settleSwitches(schedules: Iterable<Schedule>, entering: Settling): Promise<void> {
  const { data, env, tables } = entering
  const rows = await data.reader.select({
    table: tables.states,
    columns: tables.states.columns,
    where: { op: 'always' },
    order: [],
  })
  const noted = new Map(rows.map((row) => [String(row['name']), row['enabled'] === true]))
  for (const schedule of schedules) {
    const { name, timing } = schedule
    const { enabled, at } = schedule.switch
    if (noted.get(name) === enabled) continue
    const now = env.now()
    const isBack = enabled && timing.kind === 'recurring'
    const { since } = entering.stateOf(name)
    await data.write({ caller: SYSTEM }, async (writes) => {
      const { count } = await writes.update({
        table: tables.states,
        set: {
          enabled,
          // Whoever notes it may do so much later.
          ...(!enabled && { offAt: momentText(at ?? now) }),
          ...(isBack && { nextAt: nextOf(schedule, now, since) }),
        },
        where: rowWith(tables.states, { name, enabled: !enabled }),
      })
      const row = rows.find((one) => one['name'] === name)
      if (count === 1 && isBack && row !== undefined) await makeUp(schedule, row, writes, entering)
    })
  }
}
