import type { RecurringTiming, Schedule } from '../schedule.ts'
import { momentText, rowWith, type Setting } from '../setting.ts'
import { STATE } from '../tables/states.ts'
import type { Row } from '@svc/store/contract'
import { SYSTEM } from '@svc/kernel'
import { missedBy, putOccurrences } from './missed.ts'

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
  schedule: Schedule,
  { recurrence }: RecurringTiming,
  row: Row,
  setting: Setting,
): Promise<boolean> {
  const { data, env, tables, heartbeatMs } = setting
  const { name, zone } = schedule
  const now = env.now()
  const { since } = setting.stateOf(name)
  const before = String(row['nextAt'])
  const missed = missedBy(schedule, { first: Date.parse(before), until: now, now, since, heartbeatMs })
  const next = recurrence.next(now, zone, since)
  return data.write({ caller: SYSTEM }, async (writes) => {
    const { count } = await writes.update({
      table: tables.states,
      set: { nextAt: next === undefined ? null : momentText(next) },
      where: rowWith(tables.states, { name, nextAt: before }),
    })
    if (count === 0) return false
    await putOccurrences(writes, schedule, missed, setting)
    return true
  })
}
