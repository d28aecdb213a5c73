import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { STORES } from '../../../test/kit/stores.ts'
import type { JobKind, Work } from './contract.ts'
import { gate, type JobServer, note, startJobServer, type JobServerOptions } from './jobs.testkit.ts'
import { JOB, jobs } from './tables.ts'

const Task = z.strictObject({ name: z.string() })
type Task = z.input<typeof Task>

/** How many jobs are put behind the one that holds the only worker. */
const BEHIND = 6

for (const store of STORES) {
  describe(`jobs that are claimed ahead on ${store.name}`, () => {
    interface Held extends JobServer {
      readonly tasks: JobKind<Task>
      /** The end of the tick whose first job holds the worker. */
      readonly ticked: Promise<number>
      /** Lets that job go on. */
      go(): void
      /** The jobs that are held by some server, by name. */
      claimed(): Promise<readonly string[]>
    }

    /** A server of one worker that knows how short its jobs are, and is in the midst of one with others behind it. */
    async function hold(options: Partial<JobServerOptions> = {}): Promise<Held> {
      const [begun, passed] = [gate(), gate()]
      let declared: JobKind<Task> | undefined
      const server = await startJobServer({
        store,
        config: { enabled: false, workers: 1 },
        ...options,
        declare(jobs) {
          declared = jobs.kind('task', {
            payload: Task,
            delaysMs: [],
            async run({ name }, { commit }: Work) {
              if (name === 'first') {
                begun.open()
                await passed.passed
              }
              await commit((transaction) => note(transaction, name))
            },
          })
        },
      })
      if (declared === undefined) throw new Error('there is no kind')
      const tasks = declared
      const put = async (...names: readonly string[]) => {
        for (const name of names) {
          await server.transaction((transaction) => tasks.put(transaction, { name }, { key: name }))
          server.clock.advance(1)
        }
      }
      await put('learned')
      await server.tick()
      await put('first', ...Array.from({ length: BEHIND }, (_, at) => `behind ${at}`))
      const ticked = server.tick()
      await begun.passed
      return {
        ...server,
        tasks,
        ticked,
        go: passed.open,
        async claimed() {
          const where = { op: 'not', of: { op: 'null', column: JOB.token } } as const
          const order = [{ column: JOB.due, descending: false }]
          const rows = await server.store.select({
            table: jobs,
            columns: [JOB.payload, JOB.id],
            where,
            order,
          })
          return rows.map(({ payload }) => Task.parse(JSON.parse(String(payload))).name).toSorted()
        },
      }
    }
    const BEHIND_NAMES = Array.from({ length: BEHIND }, (_, at) => `behind ${at}`)

    it('are those behind a short one, and are done in their order', async () => {
      const server = await hold()
      expect(await server.claimed()).toEqual([...BEHIND_NAMES, 'first'])
      server.go()
      await server.ticked
      expect(await server.notes()).toEqual(['learned', 'first', ...BEHIND_NAMES])
    })

    it('[J4] are free for others at once when their server stops', async () => {
      const database = await store.open()
      const server = await hold({ database })
      const stopped = server.stop()
      while ((await server.claimed()).length > 1) await new Promise(setImmediate)
      server.go()
      await stopped
      const tried: number[] = []
      const second = await startJobServer({
        store,
        database,
        clock: server.clock,
        declare(jobs) {
          jobs.kind('task', {
            payload: Task,
            delaysMs: [],
            run: async (_, { attempt }) => void tried.push(attempt),
          })
        },
      })
      await second.tick()
      expect(tried).toEqual(BEHIND_NAMES.map(() => 1))
      expect(second.log.map(({ event }) => event)).not.toContain('jobs.taken_over')
      await second.stop()
      await database.drop()
    })

    it('[J5] are let go of where no worker was free for them in time', async () => {
      const server = await hold()
      server.clock.advance(501)
      const ticked = server.tick()
      while ((await server.claimed()).length > 1) await new Promise(setImmediate)
      server.go()
      await Promise.all([server.ticked, ticked])
      expect(await server.notes()).toEqual(['learned', 'first', ...BEHIND_NAMES])
    })

    it('are not begun once they are cancelled', async () => {
      const server = await hold()
      await server.transaction((transaction) => server.tasks.cancel(transaction, 'behind 2'))
      server.go()
      await server.ticked
      expect(await server.notes()).not.toContain('behind 2')
      expect(await server.notes()).toHaveLength(1 + BEHIND)
    })

    it('[J4] are taken over once their lease is over, and done once', async () => {
      const database = await store.open()
      const server = await hold({ database })
      const second = await startJobServer({
        store,
        database,
        declare(jobs) {
          const run = ({ name }: Task, { commit }: Work) =>
            commit((transaction) => note(transaction, `${name} by another`))
          jobs.kind('task', { payload: Task, delaysMs: [], run })
        },
      })
      second.clock.advance(server.clock.now() - second.clock.now() + 30_001)
      expect(await second.tick()).toBe(1 + BEHIND)
      server.go()
      await server.ticked
      expect(await server.notes()).toEqual([
        'learned',
        ...['first', ...BEHIND_NAMES].map((name) => `${name} by another`),
      ])
      await Promise.all([server.stop(), second.stop()])
      await database.drop()
    })
  })
}
