import type { Transaction } from '@svc/store/contract'
import { firstMoment, lookAt } from '../due/upkeep.ts'
import type { Schedule } from '../schedule.ts'
import type { Setting } from '../setting.ts'
import { DUE } from '../tables/due.ts'
import { momentText } from '../setting.ts'
import { dueOf } from '../due/upkeep.ts'
import type { Row } from '@svc/store/contract'
import { keyText } from '../records.ts'

/** What was due by now is seen to: says when the records are due next. To be called before their deeds, which may change that. */
export async function moveOn(
  schedule: Schedule,
  records: readonly Row[],
  transaction: Transaction,
  { tables, env, stateOf }: Setting,
): Promise<void> {
  const { source, timing, name } = schedule
  if (timing.kind !== 'relative' || source === undefined) return
  const over: string[] = []
  const { firstAt } = stateOf(name)
  for (const record of records) {
    const next = firstMoment(schedule, record, { from: env.now(), firstAt })
    const recordId = keyText(source, record)
    if (next === undefined) over.push(recordId)
    else await lookAt(transaction, tables, { schedule: name, recordId }, next)
  }
  if (over.length === 0) return
  await transaction.remove({
    table: tables.due,
    where: { op: 'and', of: [dueOf(name), { op: 'in', column: DUE.recordId, values: over }] },
  })
}

/** Has records looked at again at a moment, unless a write has said so already. */
export async function lookAgain(
  schedule: Schedule,
  keys: readonly string[],
  moment: number,
  transaction: Transaction,
  { tables }: Setting,
): Promise<void> {
  if (keys.length === 0) return
  await transaction.update({
    table: tables.due,
    set: { lookAt: momentText(moment) },
    where: {
      op: 'and',
      of: [
        dueOf(schedule.name),
        { op: 'in', column: DUE.recordId, values: keys },
        { op: 'null', column: DUE.lookAt },
      ],
    },
  })
}
