import { createUuidV7, type Environment } from '@svc/kernel'
import type { Condition, Row, Store, Transaction } from '@svc/store/contract'
import type { JobEntry, JobKind } from './contract.ts'
import { indexed, type Kind } from './kinds.ts'
import { bringForward, enter } from './lanes.ts'
import type { Wake } from './outcomes.ts'
import { JOB, jobs, marks } from './tables.ts'

export interface HandleParts {
  readonly store: Store
  readonly env: Environment
  readonly wake: Wake
  /** Ends the runs of jobs that were cancelled. */
  readonly revoke: (ids: readonly string[]) => void
}

const INSPECTED = [JOB.id, JOB.at, JOB.putAt, JOB.token, JOB.tries, JOB.error, JOB.failedAt]
const ENTERED = [JOB.id, JOB.key, JOB.payload, JOB.putAt]
const byId = [{ column: JOB.id, descending: false }]

/** Makes the handle of a kind by which jobs are put, found and taken away. */
export function createHandle<T>(kind: Kind, { store, env, wake, revoke }: HandleParts): JobKind<T> {
  const newId = createUuidV7(env)
  const now = () => new Date(env.now()).toISOString()
  const under = (key: string): Condition => ({
    op: 'and',
    of: [
      { op: 'eq', column: JOB.kind, value: kind.name },
      { op: 'eq', column: JOB.key, value: indexed(key) },
    ],
  })
  const the = (id: string): Condition => ({ op: 'eq', column: JOB.id, value: id })
  /** Reads the payload as its run will. */
  const laneOf = (payload: string): string | null => {
    const { order } = kind.open(payload)
    return order === undefined ? null : `${kind.name} ${indexed(order)}`
  }
  const mark = async (transaction: Transaction, once: string) => {
    const values = { kind: kind.name, mark: indexed(once) }
    return (await transaction.insert({ table: marks, values, onConflict: 'ignore' })) === 1
  }
  const write = async (transaction: Transaction, lane: string | null, at: string, values: Row) => {
    const job = {
      kind: kind.name,
      token: null,
      tries: 0,
      failures: 0,
      settled: 0,
      error: null,
      failed_at: null,
    }
    const isNext = await enter(transaction, { lane, at, values: { ...job, ...values } })
    if (isNext) transaction.afterCommit(() => wake(kind.name, at))
  }

  return {
    async put(transaction, payload, { at, once, key } = {}) {
      const text = JSON.stringify(payload) ?? 'null'
      const lane = laneOf(text)
      if (once !== undefined && !(await mark(transaction, once))) return false
      await write(transaction, lane, at === undefined ? now() : new Date(at).toISOString(), {
        id: newId(),
        payload: text,
        key: key === undefined ? null : indexed(key),
        put_at: now(),
      })
      return true
    },
    async cancel(transaction, key) {
      const found = await transaction.select({
        table: jobs,
        columns: [JOB.id, JOB.lane],
        where: under(key),
        order: byId,
        lock: true,
      })
      if (found.length === 0) return 0
      const ids = found.map(({ id }) => String(id))
      const cancelled = await transaction.remove({
        table: jobs,
        where: { op: 'in', column: JOB.id, values: ids },
      })
      const lanes = new Set(
        found.flatMap(({ lane }) => (lane === null || lane === undefined ? [] : [String(lane)])),
      )
      for (const lane of lanes) {
        const at = await bringForward(transaction, lane)
        if (at !== undefined) transaction.afterCommit(() => wake(kind.name, at))
      }
      transaction.afterCommit(() => revoke(ids))
      return cancelled
    },
    async inspect(key) {
      const rows = await store.select({ table: jobs, columns: INSPECTED, where: under(key), order: byId })
      return rows.map(entryOf)
    },
    async retry(transaction, key) {
      const failed: Condition = { op: 'not', of: { op: 'null', column: JOB.failedAt } }
      const where: Condition = { op: 'and', of: [under(key), failed] }
      const found = await transaction.select({
        table: jobs,
        columns: ENTERED,
        where,
        order: byId,
        lock: true,
      })
      for (const values of found) {
        await transaction.remove({ table: jobs, where: the(String(values['id'])) })
        await write(transaction, laneOf(String(values['payload'])), now(), values)
      }
      return found.length
    },
  }
}

const entryOf = (row: Row): JobEntry => ({
  id: String(row['id']),
  status: row['failed_at'] !== null ? 'failed' : row['token'] !== null ? 'running' : 'pending',
  at: String(row['at']),
  putAt: String(row['put_at']),
  attempts: Number(row['tries']),
  error: errorOf(row['error']),
})

function errorOf(kept: Row[string] | undefined): JobEntry['error'] {
  if (typeof kept !== 'object' || kept === null || !('code' in kept)) return null
  return { code: String(kept.code), message: String(kept['message']) }
}
