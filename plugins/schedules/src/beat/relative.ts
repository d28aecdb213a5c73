import { SYSTEM } from '@svc/kernel'
import type { Condition, Transaction } from '@svc/store/contract'
import { portions } from '../firing/portions.ts'
import type { Schedule } from '../schedule.ts'
import { momentText, type Setting } from '../setting.ts'
import { DUE } from '../tables/due.ts'

/** How many records one transaction takes; what is put for them is shared out among the servers. */
const MOST = 1000

/** Puts work for the records for which a relative schedule is due by now; answers whether there is any. */
export async function beatRelative(setting: Setting): Promise<boolean> {
  const { data, tables } = setting
  const asking = [...setting.schedules.values()].filter(
    ({ timing, switch: now }) => timing.kind === 'relative' && now.enabled,
  )
  let isAny = false
  for (const schedule of asking) {
    const where = dueBy(schedule, setting)
    const [one] = await data.reader.select({
      table: tables.due,
      columns: [DUE.recordId],
      where,
      // Without an order a database that knows little of the table yet may look through all of it.
      order: [{ column: DUE.lookAt, descending: false }],
      limit: 1,
    })
    if (one === undefined) continue
    isAny = true
    for (let taken = MOST; taken === MOST;)
      taken = await data.write({ caller: SYSTEM }, (writes) => take(schedule, where, writes, setting))
  }
  return isAny
}

/** The rows of a schedule that are to be looked at by now. */
const dueBy = ({ name }: Schedule, { env }: Setting): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: DUE.schedule, value: name },
    { op: 'lte', column: DUE.lookAt, value: momentText(env.now()) },
  ],
})

/** Takes rows that nobody else takes, and puts the work that looks at them. */
async function take(
  schedule: Schedule,
  where: Condition,
  transaction: Transaction,
  { tables, works, model }: Setting,
): Promise<number> {
  const rows = await transaction.claim({
    table: tables.due,
    where,
    order: [
      { column: DUE.lookAt, descending: false },
      { column: DUE.recordId, descending: false },
    ],
    limit: MOST,
    set: { lookAt: null },
    returning: [DUE.recordId],
  })
  const keys = rows.map(({ recordId }) => String(recordId)).sort()
  for (const portion of portions(schedule, keys))
    await works.fire.put(transaction, {
      domain: model.name,
      schedule: schedule.name,
      planned: null,
      keys: [...portion],
      run: null,
    })
  return rows.length
}
