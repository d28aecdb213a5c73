import type { Row, Transaction } from '@svc/store/contract'
import { momentsOf } from '../moment.ts'
import type { Schedule } from '../schedule.ts'
import { momentText, rowWith } from '../setting.ts'
import { DUE } from '../tables/due.ts'
import type { Tables } from '../tables/tables.ts'

/** Which record of which schedule. */
interface Place {
  readonly schedule: string
  readonly recordId: string
}

/** Says when a record is looked at next, whatever was said before; undefined: never again. */
export async function lookAt(
  transaction: Transaction,
  { due: table }: Tables,
  place: Place,
  moment: number | undefined,
): Promise<void> {
  const where = rowWith(table, { ...place })
  if (moment === undefined) return void (await transaction.remove({ table, where }))
  const at = momentText(moment)
  const { count } = await transaction.update({ table, set: { at, lookAt: at }, where })
  if (count === 0)
    await transaction.insert({ table, values: { ...place, at, lookAt: at }, onConflict: 'ignore' })
}

/** The first moment at which a record is due, from `from` on; undefined where there is none. */
export const firstMoment = (
  schedule: Schedule,
  record: Row,
  { from, firstAt }: { readonly from?: number; readonly firstAt?: number | undefined },
): number | undefined =>
  momentsOf(schedule, record, firstAt).find(({ at }) => from === undefined || at > from)?.at

/** The rows of a schedule in the table of what is due. */
export const dueOf = (schedule: string) => ({ op: 'eq' as const, column: DUE.schedule, value: schedule })
