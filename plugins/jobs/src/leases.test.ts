import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClock } from '../../../test/kit/clock.ts'
import { STORES } from '../../../test/kit/stores.ts'
import type { JobKind, KindOptions } from './contract.ts'
import { gate, type JobServer, note, startJobServer, type JobServerOptions } from './jobs.testkit.ts'

const Task = z.strictObject({ name: z.string() })
type Task = z.input<typeof Task>

interface TaskServer extends JobServer {
  readonly tasks: JobKind<Task>
  put(name: string): Promise<boolean>
}

for (const store of STORES) {
  describe(`the lease of a job on ${store.name}`, () => {
    async function start(
      options: Partial<JobServerOptions> &
        Pick<KindOptions<typeof Task>, 'run'> & { readonly maxRunMs?: number },
    ): Promise<TaskServer> {
      const { run, maxRunMs } = options
      let declared: JobKind<Task> | undefined
      const server = await startJobServer({
        store,
        ...options,
        declare(jobs) {
          const kind = { payload: Task, delaysMs: [], run, ...(maxRunMs !== undefined && { maxRunMs }) }
          declared = jobs.kind('task', kind)
        },
      })
      if (declared === undefined) throw new Error('there is no kind')
      const tasks = declared
      const put = (name: string) =>
        server.transaction((transaction) => tasks.put(transaction, { name }, { key: 'tasks' }))
      return { ...server, tasks, put }
    }
    const events = (server: JobServer) => server.log.map(({ event }) => event)

    it('[J4] keeps others away; after its end another server does the work, and the late result is refused', async () => {
      const [begun, go] = [gate(), gate()]
      let refused: unknown
      const first = await start({
        async run({ name }, { commit }) {
          begun.open()
          await go.passed
          await commit((transaction) => note(transaction, `first ${name}`)).catch((error: unknown) => {
            refused = error
            throw error
          })
        },
      })
      const clock = createClock()
      const second = await start({
        database: first.database,
        clock,
        run: ({ name }, { attempt, commit }) =>
          commit((transaction) => note(transaction, `second ${name} ${attempt}`)),
      })
      await first.put('a')
      const ticked = first.tick()
      await begun.passed
      expect(await second.tasks.inspect('tasks')).toMatchObject([{ status: 'running', attempts: 1 }])
      clock.advance(29_999)
      expect(await second.tick()).toBe(0)
      clock.advance(1)
      expect(await second.tick()).toBe(1)
      expect(events(second)).toContain('jobs.taken_over')
      go.open()
      await ticked
      expect(String(refused)).toContain('nothing of this run')
      expect(await first.notes()).toEqual(['second a 2'])
      expect(await first.tasks.inspect('tasks')).toEqual([])
    })

    it('[J4] refuses a late result while the one that took over is still at work', async () => {
      const [begun, go, late] = [gate(), gate(), gate()]
      const first = await start({
        async run({ name }, { commit }) {
          begun.open()
          await go.passed
          await commit((transaction) => note(transaction, `first ${name}`)).finally(late.open)
        },
      })
      const clock = createClock()
      clock.advance(30_000)
      const second = await start({
        database: first.database,
        clock,
        async run({ name }, { commit }) {
          go.open()
          await late.passed
          await commit((transaction) => note(transaction, `second ${name}`))
        },
      })
      await first.put('a')
      const ticked = first.tick()
      await begun.passed
      await second.tick()
      await ticked
      // Reads of one turn of the event loop share what they see, and the other server has just written.
      await new Promise(setImmediate)
      expect(await first.notes()).toEqual(['second a'])
      expect(events(first)).toContain('jobs.lease_lost')
    })

    it('[J4] is renewed while the work goes on', async () => {
      const [begun, go] = [gate(), gate()]
      const first = await start({
        config: { poll_seconds: 0.1, lease_seconds: 1 },
        async run({ name }, { commit }) {
          begun.open()
          await go.passed
          await commit((transaction) => note(transaction, `first ${name}`))
        },
      })
      const clock = createClock()
      const second = await start({
        database: first.database,
        clock,
        config: { enabled: false, lease_seconds: 1 },
        run: () => expect.fail('it is held'),
      })
      await first.put('a')
      await begun.passed
      for (let round = 0; round < 8; round += 1) {
        first.clock.advance(400)
        clock.advance(400)
        await new Promise((resolve) => setTimeout(resolve, 300))
        expect(await second.tick()).toBe(0)
      }
      go.open()
      await expect.poll(() => first.notes()).toEqual(['first a'])
    })

    it('tells a run that has lost it, as soon as the server notices', async () => {
      const [begun, aborted] = [gate(), gate()]
      const first = await start({
        config: { poll_seconds: 0.1, lease_seconds: 1 },
        async run(_, { signal }) {
          signal.addEventListener('abort', aborted.open)
          begun.open()
          await aborted.passed
          throw new Error('no failure: it is not our job any more')
        },
      })
      const clock = createClock()
      clock.advance(60_000)
      const second = await start({
        database: first.database,
        clock,
        run: ({ name }, { commit }) => commit((transaction) => note(transaction, name)),
      })
      await first.put('a')
      await begun.passed
      await second.tick()
      first.clock.advance(500)
      await aborted.passed
      await expect.poll(() => events(first)).toContain('jobs.lease_lost')
      expect(await first.notes()).toEqual(['a'])
      expect(await first.tasks.inspect('tasks')).toEqual([])
    })

    it('of work that nobody lives to see the end of is given out so often, and then the work is put aside', async () => {
      const server = await start({ run: () => new Promise(() => undefined), maxRunMs: Infinity })
      await server.put('a')
      for (let round = 1; round <= 26; round += 1) {
        const clock = createClock()
        clock.advance(round * 31_000)
        const next = await start({
          database: server.database,
          clock,
          config: { enabled: false, drain_timeout_ms: 0 },
          run: () => new Promise(() => undefined),
          maxRunMs: Infinity,
        })
        await next.tick()
        // A tick does not wait for work without an end, nor for what becomes of it.
        const found = async () => (await next.tasks.inspect('tasks'))[0]
        await expect.poll(async () => (await found())?.status).toBe(round <= 25 ? 'running' : 'failed')
        expect((await found())?.attempts).toBe(round)
        if (round > 25) expect((await found())?.error?.message).toContain('begun 25 times')
      }
    }, 60_000)
  })
}
