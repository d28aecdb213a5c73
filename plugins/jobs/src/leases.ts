import { createUuidV7, type Environment } from '@svc/kernel'
import { type Condition, Increment, type Row, type Store } from '@svc/store/contract'
import { JOB, jobs } from './tables.ts'

/** A job that this server holds, as it was claimed. */
export interface Lease {
  readonly id: string
  readonly kind: string
  readonly token: string
  readonly lane: string | null
  readonly at: string
  readonly payload: string
  /** Counts from 1. */
  readonly tries: number
  readonly failures: number
  /** Of how many tries the end is known. */
  readonly settled: number
}

const { id, kind, token, lane, at, payload, tries, failures, settled } = JOB
const CLAIMED = [id, kind, token, lane, at, payload, tries, failures, settled]

/** The row of a lease, as long as it is held. */
export const held = ({ id, token }: Pick<Lease, 'id' | 'token'>): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: JOB.id, value: id },
    { op: 'eq', column: JOB.token, value: token },
  ],
})

/** Claims of work, by the clock of this server. */
export interface Leases {
  /** Whether any job of these kinds can be claimed now. */
  isAnyDue(kinds: readonly string[]): Promise<boolean>
  /** Takes up to `limit` jobs of a kind that are due, those first that have been so for longest. */
  claim(kind: string, limit: number): Promise<readonly Lease[]>
  /** Holds on to leases; answers the ids of those that are still held. */
  renew(leases: readonly Lease[]): Promise<ReadonlySet<string>>
  /** Lets go of leases whose work was not done, as if they had never been claimed. */
  release(leases: readonly Lease[]): Promise<void>
}

/** Makes the claims of one server; leases last `leaseMs`. */
export function createLeases(store: Store, env: Environment, leaseMs: number): Leases {
  const newToken = createUuidV7(env)
  const now = () => new Date(env.now()).toISOString()
  const end = () => new Date(env.now() + leaseMs).toISOString()
  const isDue = (): Condition => ({ op: 'lte', column: JOB.due, value: now() })
  return {
    async isAnyDue(kinds) {
      const where: Condition = { op: 'and', of: [{ op: 'in', column: JOB.kind, values: kinds }, isDue()] }
      return (await store.select({ table: jobs, columns: [JOB.id], where, order: [], limit: 1 })).length > 0
    },
    async claim(kind, limit) {
      const rows = await store.transaction((transaction) =>
        transaction.claim({
          table: jobs,
          where: { op: 'and', of: [{ op: 'eq', column: JOB.kind, value: kind }, isDue()] },
          order: [JOB.due, JOB.id].map((column) => ({ column, descending: false })),
          limit,
          set: { token: newToken(), due: end(), tries: new Increment(1) },
          returning: CLAIMED,
        }),
      )
      return rows.map(leaseOf)
    },
    async renew(leases) {
      if (leases.length === 0) return new Set()
      const { rows } = await store.transaction((transaction) =>
        transaction.update({
          table: jobs,
          set: { due: end() },
          where: {
            op: 'and',
            of: [
              { op: 'in', column: JOB.id, values: leases.map(({ id }) => id) },
              { op: 'in', column: JOB.token, values: [...new Set(leases.map(({ token }) => token))] },
            ],
          },
          returning: [JOB.id],
        }),
      )
      return new Set(rows.map((row) => String(row['id'])))
    },
    async release(leases) {
      if (leases.length === 0) return
      await store.transaction(async (transaction) => {
        for (const lease of leases) {
          const set = { token: null, due: lease.at, tries: new Increment(-1) }
          await transaction.update({ table: jobs, set, where: held(lease) })
        }
      })
    },
  }
}

const leaseOf = (row: Row): Lease => ({
  id: String(row['id']),
  kind: String(row['kind']),
  token: String(row['token']),
  lane: row['lane'] === null ? null : String(row['lane']),
  at: String(row['at']),
  payload: String(row['payload']),
  tries: Number(row['tries']),
  failures: Number(row['failures']),
  settled: Number(row['settled']),
})
