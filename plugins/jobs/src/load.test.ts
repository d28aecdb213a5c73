import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { askPostgres } from '../../../test/kit/ask-postgres.ts'
import { size } from '../../../test/kit/size.ts'
import { STORES } from '../../../test/kit/stores.ts'
import type { JobKind } from './contract.ts'
import { type JobServer, startJobServer } from './jobs.testkit.ts'
import { createLeases } from './leases.ts'
import { jobs } from './tables.ts'

const Task = z.strictObject({ lane: z.string().optional() })
type Task = z.input<typeof Task>

const CHUNK = 2000
const MEMORY_JOBS = size('JOBS_MEMORY', { smoke: 1000, whole: 10_000 })
const WAITING_JOBS = size('JOBS_WAITING', { smoke: 20_000, whole: 100_000 })

for (const store of STORES) {
  describe(`many jobs on ${store.name}`, () => {
    async function start(): Promise<
      JobServer & { readonly tasks: JobKind<Task>; readonly done: () => number }
    > {
      let declared: JobKind<Task> | undefined
      let done = 0
      const server = await startJobServer({
        store,
        declare(jobs) {
          const run = async () => void (done += 1)
          declared = jobs.kind('task', { payload: Task, delaysMs: [], run })
          // Servers know many kinds.
          for (let at = 0; at < 12; at += 1) jobs.kind(`other${at}`, { payload: Task, delaysMs: [], run })
        },
      })
      if (declared === undefined) throw new Error('there is no kind')
      return { ...server, tasks: declared, done: () => done }
    }

    /** Writes many jobs past the handle, as time would. */
    async function fill(
      server: JobServer,
      count: number,
      more: (at: number) => { due: string | null; lane: string | null },
    ) {
      for (let from = 0; from < count; from += CHUNK) {
        const rows = Array.from({ length: CHUNK }, (_, at) => {
          const { due, lane } = more(from + at)
          const id = `00000000-0000-7000-8000-${String(from + at).padStart(12, '0')}`
          return {
            id,
            kind: 'task',
            due,
            at: due ?? iso(server),
            payload: '{}',
            key: null,
            lane,
            place: lane === null ? null : from + at,
            token: null,
            tries: 0,
            failures: 0,
            settled: 0,
            error: null,
            failed_at: null,
            put_at: iso(server),
          }
        })
        await server.transaction((transaction) => transaction.insertRows({ table: jobs, rows }))
      }
      await askPostgres(server.database, (client) => client.query('analyze svc_jobs'))
    }
    const iso = ({ clock }: JobServer, ms = 0) => new Date(clock.now() + ms).toISOString()

    it('that wait cost a look for work next to nothing', async () => {
      const server = await start()
      await fill(server, WAITING_JOBS, (at) => ({ due: iso(server, 1000 + at), lane: null }))
      expect(await processorMs(() => server.tick())).toBeLessThan(5)
      await expectFew(server)
    }, 120_000)

    it('behind another one of their lane cost a look for work next to nothing', async () => {
      const server = await start()
      await fill(server, 20_000, (at) => ({ due: at === 0 ? iso(server, 1000) : null, lane: 'task a' }))
      expect(await processorMs(() => server.tick())).toBeLessThan(5)
      await expectFew(server)
    }, 120_000)

    it('that are due are claimed by reading those few that are claimed', async () => {
      const server = await start()
      await fill(server, 20_000, (at) => ({ due: iso(server, at - 20_000), lane: null }))
      await expectFew(server)
      const leases = createLeases(server.store, server.clock, 30_000)
      expect(await processorMs(() => leases.claim('task', 4))).toBeLessThan(5)
    }, 120_000)

    it('leave no memory behind', async () => {
      const server = await start()
      const run = async (count: number) => {
        for (let from = 0; from < count; from += 500) {
          await server.transaction(async (transaction) => {
            for (let at = 0; at < 500; at += 1) await server.tasks.put(transaction, {})
          })
        }
        await server.tick()
      }
      await run(2000)
      const before = heap()
      await run(MEMORY_JOBS)
      expect(server.done()).toBe(2000 + MEMORY_JOBS)
      expect(heap() - before).toBeLessThan(8 * 1024 * 1024)
    }, 120_000)

    /** The statements that look for work and choose it read few pages, whatever the table holds. */
    async function expectFew(server: JobServer) {
      const now = `'${iso(server)}'`
      const isDue = `due <= ${now}`
      await askPostgres(server.database, async (client) => {
        for (const sql of [
          `select id from svc_jobs where kind in ('task', 'other1', 'other2') and ${isDue} limit 1`,
          `select id from svc_jobs where kind = 'task' and ${isDue}
           order by due nulls first, id limit 4 for update skip locked`,
        ]) {
          const { rows } = await client.query<Explained>(`explain (analyze, buffers, format json) ${sql}`)
          const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
          expect([sql, (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)]).toEqual([
            sql,
            expect.toSatisfy((blocks: number) => blocks < 40),
          ])
        }
      })
    }
  })
}

interface Explained {
  readonly 'QUERY PLAN': readonly {
    readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number }
  }[]
}

/** The processor time of this process for one run of `work`, in milliseconds, over many of them. */
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const RUNS = 20
  for (let run = 0; run < 10; run += 1) await work()
  const before = process.cpuUsage()
  for (let run = 0; run < RUNS; run += 1) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / RUNS
}

/** What is in use once all that nobody holds is gone, in bytes. */
function heap(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  return process.memoryUsage().heapUsed
}
