import { type Condition, type Row, type Transaction } from '@svc/store/contract'
import { JOB, jobs } from './tables.ts'

const inLane = (lane: string): Condition => ({ op: 'eq', column: JOB.lane, value: lane })
const ends = (descending: boolean) => [JOB.place, JOB.id].map((column) => ({ column, descending }))

/** A job that is written, still without its place among others. */
export interface Entering {
  readonly lane: string | null
  readonly at: string
  /** Its other columns. */
  readonly values: Row
}

/**
 * Writes a job; answers whether it can be claimed at its moment. In a lane that is not empty it stands behind the last
 * one, which it holds until its transaction ends: whoever takes that one away waits, and so finds this one to bring
 * forward. Of two who find a lane empty, the index of heads lets one be the first.
 */
export async function enter(transaction: Transaction, { lane, at, values }: Entering): Promise<boolean> {
  const common = { ...values, lane, at }
  if (lane === null) {
    await transaction.append({ table: jobs, values: { ...common, place: null, due: at } })
    return true
  }
  const first = { ...common, place: 1, due: at }
  for (;;) {
    // Most lanes are empty: the index of heads says of this one that it is not.
    if ((await transaction.insert({ table: jobs, values: first, onConflict: 'ignore' })) === 1) return true
    const [last] = await transaction.select({
      table: jobs,
      columns: [JOB.place],
      where: inLane(lane),
      order: ends(true),
      limit: 1,
      lock: 'shared',
    })
    if (last !== undefined) {
      await transaction.insert({
        table: jobs,
        values: { ...common, place: Number(last['place']) + 1, due: null },
      })
      return false
    }
  }
}

/**
 * Brings the next job of a lane forward, whose head this transaction has taken away; answers its moment, or undefined
 * where the lane is empty.
 */
export async function bringForward(transaction: Transaction, lane: string): Promise<string | undefined> {
  for (;;) {
    const [next] = await transaction.select({
      table: jobs,
      columns: [JOB.id, JOB.at, JOB.due],
      where: inLane(lane),
      order: ends(false),
      limit: 1,
    })
    if (next === undefined || next['due'] !== null) return undefined
    const { count } = await transaction.update({
      table: jobs,
      set: { due: next['at'] ?? null },
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: JOB.id, value: String(next['id']) },
          { op: 'null', column: JOB.due },
        ],
      },
    })
    // It may have been cancelled, or brought forward, meanwhile.
    if (count === 1) return String(next['at'])
  }
}
