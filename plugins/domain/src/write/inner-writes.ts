import { isoTime, SYSTEM, type Warning } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { WritesOf } from '../blocks/steps.ts'
import type { Due, LeftBy } from '../contract/due.ts'
import type { RecordWrite } from '../contract/writes.ts'
import { companionOf } from './cascade.ts'
import type { Change } from './change.ts'
import { nestedChange } from './nested.ts'
import { marking, RecordWrites } from './record-writes.ts'
import type { Refused, Writer } from './writer.ts'

/** How changes are run that others bring about. */
export type Inside = Pick<Writer, 'inside' | 'follow' | 'announce'>

/** What the steps of blocks write by: records one deeper than the change that brings them about, and in its name. */
export const innerWrites =
  ({ inside, follow: followDue, announce }: Inside): WritesOf =>
  (cause, transaction) => {
    const { domain, runtime, caller, requestId, at, signal, origin: setOffBy } = cause
    const tell = (warning: Warning) => cause.warn(warning)
    const depth = cause.depth + 1
    const origin = { domain, runtime, caller, requestId, at, tell, signal, cause, depth, setOffBy }
    const record = async (write: RecordWrite) => {
      const change = nestedChange(write, origin, transaction)
      await inside(change, transaction)
      cause.afterCommit.push(() => announce(change))
      leaveStanding(change)
      return recordOf(change)
    }
    const follow = async (due: Due, by: LeftBy) => {
      for (const change of await followDue(due, { ...companionOf(cause), ...by }, transaction))
        cause.afterCommit.push(() => announce(change))
    }
    return new RecordWrites(transaction, { record, follow }, () => {
      const takeBack = [marking(cause.afterCommit)(), ...[...causesFrom(cause)].map(markStanding)]
      return () => takeBack.forEach((one) => one())
    })
  }

/** What is written of a refused write, in nobody's name. */
export function remaining(
  { domain, runtime, requestId, depth, origin: setOffBy }: Refused,
  transaction: Transaction,
  { inside, follow: followDue, announce }: Inside,
): RecordWrites {
  const at = isoTime(runtime.env.now())
  const own = { domain, runtime, requestId, at, depth: depth + 1, setOffBy }
  const origin = { ...own, caller: SYSTEM, tell: () => undefined }
  return new RecordWrites(transaction, {
    async record(write) {
      const change = nestedChange(write, origin, transaction)
      await inside(change, transaction)
      transaction.afterCommit(() => announce(change))
      return recordOf(change)
    },
    async follow(due, by) {
      for (const change of await followDue(due, { ...origin, ...by }, transaction))
        transaction.afterCommit(() => announce(change))
    },
  })
}

/** Those that have brought a change of their own record about are answered with what comes of it. */
function leaveStanding(change: Change): void {
  const { resource, key, record, kind } = change
  if (kind === 'delete') return
  for (const one of causesFrom(change.cause))
    if (one.resource === resource && one.key === key) one.standing = change.standing ?? record
}

function markStanding(change: Change): () => void {
  const { standing } = change
  return () => void (change.standing = standing)
}

/** A change, what has brought it about, and so on. */
function* causesFrom(change: Change | undefined): Generator<Change> {
  for (let one = change; one !== undefined; one = one.cause) yield one
}

/** The record as it is stored then; undefined where it is gone. */
const recordOf = ({ kind, record }: Change) => (kind === 'delete' ? undefined : record)
