import type { RecurringTiming, Schedule } from '../schedule.ts'
import { momentText, rowWith, type Setting } from '../setting.ts'
import { STATE } from '../tables/states.ts'
import type { Row } from '@svc/store/contract'
import { SYSTEM } from '@svc/kernel'
import { latestUpTo } from './missed.ts'

/** How many missed occurrences are made up for at most. */
const MOST_MISSED = 100

/** Puts work for the recurring schedules that occur by now; answers whether any does. */
export async function beatRecurring(setting: Setting): Promise<boolean> {
  const { data, env, tables } = setting
  const rows = await data.reader.select({
    table: tables.states,
    columns: tables.states.columns,
    where: { op: 'lte', column: STATE.nextAt, value: momentText(env.now()) },
    order: [{ column: STATE.nextAt, descending: false }],
  })
  let isAny = false
  for (const row of rows) {
    const schedule = setting.schedules.get(String(row['name']))
    if (schedule?.timing.kind !== 'recurring' || !schedule.switch.enabled || row['enabled'] !== true) continue
    isAny = (await occur(schedule, schedule.timing, row, setting)) || isAny
  }
  return isAny
}

/** Of several servers that look at once, the one that moves the next moment on puts the work. */
async function occur(
  { name, zone }: Schedule,
  { recurrence, catchUp }: RecurringTiming,
  row: Row,
  setting: Setting,
): Promise<boolean> {
  const { data, env, tables, works, model, heartbeatMs } = setting
  const now = env.now()
  const { since } = setting.stateOf(name)
  const before = String(row['nextAt'])
  const missed = latestUpTo(
    recurrence,
    { zone, since },
    { first: Date.parse(before), now, most: catchUp === 'all' ? MOST_MISSED : 1 },
  )
  const planned = missed.filter((at) => catchUp !== 'none' || now - at <= 2 * heartbeatMs).map(momentText)
  const next = recurrence.next(now, zone, since)
  return data.write({ caller: SYSTEM }, async (writes) => {
    const { count } = await writes.update({
      table: tables.states,
      set: { nextAt: next === undefined ? null : momentText(next) },
      where: rowWith(tables.states, { name, nextAt: before }),
    })
    if (count === 0) return false
    if (planned.length > 0)
      await works.occur.put(writes, {
        domain: model.name,
        schedule: name,
        planned,
        after: null,
        only: null,
        run: null,
      })
    return true
  })
}
