import { definePlugin, errors, type Plugin } from '@svc/kernel'
import { metrics } from '@svc/metrics'
import { type Store, StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClock } from '../../../test/kit/clock.ts'
import { STORES, type StoreUnderTest } from '../../../test/kit/stores.ts'
import type { JobKind, KindOptions } from './contract.ts'
import { gate, type JobServer, note, startJobServer, type JobServerOptions } from './jobs.testkit.ts'

const Task = z.strictObject({ name: z.string() })
type Task = z.input<typeof Task>
type Run = KindOptions<typeof Task>['run']

interface TaskServer extends JobServer {
  readonly tasks: JobKind<Task>
  put(name: string): Promise<boolean>
}

for (const store of STORES) {
  describe(`servers that do jobs on ${store.name}`, () => {
    async function start(
      options: Partial<JobServerOptions & Omit<KindOptions<typeof Task>, 'run'>> & { readonly run?: Run },
    ): Promise<TaskServer> {
      const { run = noteName, maxRunMs = 600_000, workers, delaysMs = [] } = options
      let declared: JobKind<Task> | undefined
      const server = await startJobServer({
        store,
        config: { poll_seconds: 0.1 },
        ...options,
        declare(jobs) {
          const more = workers === undefined ? {} : { workers }
          declared = jobs.kind('task', { payload: Task, delaysMs, run, maxRunMs, ...more })
        },
      })
      if (declared === undefined) throw new Error('there is no kind')
      const tasks = declared
      const put = (name: string) =>
        server.transaction((transaction) => tasks.put(transaction, { name }, { key: 'tasks' }))
      return { ...server, tasks, put }
    }
    const noteName: Run = ({ name }, { commit }) => commit((transaction) => note(transaction, name))
    const events = (server: JobServer) => server.log.map(({ event }) => event)

    it('begin work with the commit that it was put by, without waiting for their period', async () => {
      const server = await start({ config: { poll_seconds: 60 } })
      await server.put('a')
      await expect.poll(() => server.notes(), { timeout: 3000 }).toEqual(['a'])
    })

    it('begin work again at the moment of its next try, though no period ends then', async () => {
      const server = await start({
        config: { poll_seconds: 60 },
        delaysMs: [200],
        run: async (task, work) =>
          work.attempt === 1 ? Promise.reject(new Error('once')) : noteName(task, work),
        clock: { ...createClock(), now: () => Date.now() },
      })
      await server.put('a')
      await expect.poll(() => server.notes(), { timeout: 3000 }).toEqual(['a'])
    })

    it('[J5] find within their period what another one has put', async () => {
      const server = await start({})
      const other = await start({ database: server.database, config: { enabled: false } })
      await other.put('a')
      await expect.poll(() => server.notes(), { timeout: 3000 }).toEqual(['a'])
    })

    it('[J5] take up when they start what lies there', async () => {
      const before = await start({ config: { enabled: false } })
      for (const name of ['a', 'b', 'c']) await before.put(name)
      const server = await start({ database: before.database, config: { poll_seconds: 60 } })
      await expect
        .poll(async () => (await server.notes()).toSorted(), { timeout: 3000 })
        .toEqual(['a', 'b', 'c'])
    })

    it('[A14] queue and do nothing where they are told so', async () => {
      const server = await start({ config: { enabled: false, poll_seconds: 0.1 } })
      await server.put('a')
      await new Promise((resolve) => setTimeout(resolve, 400))
      expect(await server.notes()).toEqual([])
      expect(await server.tick()).toBe(1)
    })

    it('[A14] do no more at once than they have workers, and kinds with workers of their own beside that', async () => {
      let [running, most] = [0, 0]
      const hold: Run = async (_, { commit }) => {
        most = Math.max(most, (running += 1))
        await new Promise((resolve) => setTimeout(resolve, 10))
        running -= 1
        await commit(async () => undefined)
      }
      const server = await start({ config: { enabled: false, workers: 3 }, run: hold })
      for (let at = 0; at < 12; at += 1) await server.put(`${at}`)
      expect(await server.tick()).toBe(12)
      expect(most).toBe(3)
      most = 0
      const wide = await start({ config: { enabled: false, workers: 1 }, run: hold, workers: 6 })
      for (let at = 0; at < 12; at += 1) await wide.put(`${at}`)
      await wide.tick()
      expect(most).toBe(6)
    })

    it('let every kind have its turn, however much there is of one', async () => {
      const done: string[] = []
      let [many, few]: (JobKind<Task> | undefined)[] = []
      const server = await startJobServer({
        store,
        config: { enabled: false, workers: 2 },
        declare(jobs) {
          const run: Run = async ({ name }) => void done.push(name)
          many = jobs.kind('many', { payload: Task, delaysMs: [], run })
          few = jobs.kind('few', { payload: Task, delaysMs: [], run })
        },
      })
      await server.transaction(async (transaction) => {
        for (let at = 0; at < 40; at += 1) await many?.put(transaction, { name: 'many' })
        for (let at = 0; at < 4; at += 1) await few?.put(transaction, { name: 'few' })
      })
      await server.tick()
      expect(done).toHaveLength(44)
      expect(done.lastIndexOf('few')).toBeLessThan(15)
    })

    it('do every piece of work once between them', async () => {
      const first = await start({})
      const second = await start({ database: first.database })
      const names = Array.from({ length: 100 }, (_, at) => `${at}`)
      await Promise.all(names.map((name) => first.put(name)))
      await expect.poll(async () => (await first.tasks.inspect('tasks')).length, { timeout: 20_000 }).toBe(0)
      expect((await second.notes()).toSorted()).toEqual(names.toSorted())
    })

    it('[J6] go on with the others where one piece of work fails or never ends', async () => {
      const server = await start({
        run: async (task, work) => {
          if (task.name === 'hangs') return new Promise(() => undefined)
          if (task.name === 'fails') throw new Error('broken')
          return noteName(task, work)
        },
        maxRunMs: 60_000,
        config: { poll_seconds: 0.1, workers: 2, drain_timeout_ms: 0 },
      })
      for (const name of ['hangs', 'fails', 'a', 'b']) await server.put(name)
      await expect.poll(() => server.notes()).toEqual(['a', 'b'])
    })

    it('[J6] stand still while the store is out of reach, and lose nothing', async () => {
      const outage = breaking(store)
      const server = await start({ store: outage.store })
      await server.put('a')
      await expect.poll(() => server.notes()).toEqual(['a'])
      const again = await start({
        store: outage.store,
        database: server.database,
        config: { enabled: false },
      })
      await again.put('b')
      outage.begin()
      await new Promise((resolve) => setTimeout(resolve, 500))
      expect(events(server).filter((event) => event === 'jobs.look_failed').length).toBeLessThan(2)
      outage.end()
      await expect.poll(() => server.notes(), { timeout: 5000 }).toEqual(['a', 'b'])
    })

    it('[J6] do not hold it against the work where the store goes while it is done', async () => {
      const outage = breaking(store)
      const begun = gate()
      const server = await start({
        store: outage.store,
        config: { poll_seconds: 0.1, workers: 1 },
        clock: { ...createClock(), now: () => Date.now() },
        async run(task, work) {
          if (work.attempt === 1) outage.begin()
          begun.open()
          await noteName(task, work)
        },
      })
      await server.put('a')
      await begun.passed
      await new Promise((resolve) => setTimeout(resolve, 300))
      outage.end()
      await expect.poll(() => server.notes(), { timeout: 10_000 }).toEqual(['a'])
      expect(events(server)).toContain('jobs.postponed')
    })

    it('[J4] end what is under way when they stop, and begin nothing new', async () => {
      const [begun, go] = [gate(), gate()]
      const server = await start({
        config: { poll_seconds: 0.1, workers: 1 },
        async run(task, work) {
          begun.open()
          await go.passed
          await noteName(task, work)
        },
      })
      await server.put('a')
      await server.put('b')
      await begun.passed
      const stopped = server.stop()
      go.open()
      await stopped
      const after = await start({ database: server.database, config: { enabled: false } })
      expect(await after.notes()).toEqual(['a'])
      expect(await after.tasks.inspect('tasks')).toMatchObject([{ status: 'pending', attempts: 0 }])
    })

    it('[J4] let go at once of what does not end in time', async () => {
      const begun = gate()
      const server = await start({
        config: { poll_seconds: 0.1, drain_timeout_ms: 50 },
        async run() {
          begun.open()
          await new Promise(() => undefined)
        },
      })
      await server.put('a')
      await begun.passed
      await server.stop()
      const after = await start({ database: server.database, config: { enabled: false } })
      expect(await after.tasks.inspect('tasks')).toMatchObject([{ status: 'pending', attempts: 0 }])
      expect(await after.tick()).toBe(1)
      expect(await after.notes()).toEqual(['a'])
      expect(events(after)).not.toContain('jobs.taken_over')
    })

    it('tell what never ends by itself that they stop, and keep it for others', async () => {
      const begun = gate()
      const server = await start({
        maxRunMs: Infinity,
        workers: 1,
        async run(_, { stopping }) {
          begun.open()
          await new Promise((resolve) => stopping.addEventListener('abort', resolve))
          stopping.throwIfAborted()
        },
      })
      await server.put('consumer')
      await begun.passed
      const before = performance.now()
      await server.stop()
      expect(performance.now() - before).toBeLessThan(5000)
      const after = await start({ database: server.database, config: { enabled: false } })
      expect(await after.tasks.inspect('tasks')).toMatchObject([{ status: 'pending', attempts: 0 }])
    })

    it('keep what was put aside for as long as they are told', async () => {
      const server = await start({
        run: () => Promise.reject(new Error('broken')),
        config: { enabled: false, retention_days: 2 },
      })
      await server.put('a')
      await server.tick()
      server.clock.advance(2 * 86_400_000)
      await server.tick()
      expect(await server.tasks.inspect('tasks')).toHaveLength(1)
      server.clock.advance(3_600_001)
      await server.tick()
      expect(await server.tasks.inspect('tasks')).toEqual([])
    })

    it('show what is due, and count what they did', async () => {
      const server = await start({
        plugins: [metrics],
        config: { enabled: false },
        sections: { metrics: { port: 0 } },
        run: async ({ name }) => (name === 'fails' ? Promise.reject(new Error('broken')) : undefined),
      })
      for (const name of ['a', 'b', 'fails']) await server.put(name)
      server.clock.advance(7000)
      const read = async () => {
        const port = server.log.find(({ event }) => event === 'metrics.listening')?.fields['port']
        return (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
      }
      const before = await read()
      expect(before).toContain('svc_jobs_due 3')
      expect(before).toContain('svc_jobs_oldest_seconds 7')
      await server.tick()
      const after = await read()
      expect(after).toContain('svc_jobs_due 0')
      expect(after).toContain('svc_jobs_oldest_seconds 0')
      expect(after).toContain('svc_jobs_put_aside 1')
      expect(after).toContain('svc_jobs_done_total{kind="task"} 2')
      expect(after).toContain('svc_jobs_failed_total{kind="task"} 1')
      expect(after).toContain('# TYPE svc_jobs_taken_over_total counter')
    })
  })
}

/** A store that can be taken away for a while. */
function breaking(under: StoreUnderTest): {
  readonly store: StoreUnderTest
  begin(): void
  end(): void
} {
  let isAway = false
  const guarded =
    <A extends readonly unknown[], R>(work: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> =>
      isAway ? Promise.reject(errors.UNAVAILABLE({ message: 'out of reach' })) : work(...given)
  const around = (store: Store): Store => ({
    name: store.name,
    dialect: store.dialect,
    features: store.features,
    wanting: store.wanting,
    compareGeometries: (test) => store.compareGeometries(test),
    journal: store.journal,
    select: guarded((plan) => store.select(plan)),
    count: guarded((plan) => store.count(plan)),
    aggregate: guarded((plan) => store.aggregate(plan)),
    stream: (plan, size) => store.stream(plan, size),
    transaction: (work, options) => guarded(() => store.transaction(work, options))(),
    define: (work, options) => store.define(work, options),
    ensure: (tables) => store.ensure(tables),
    state: () => store.state(),
    explain: (step) => store.explain(step),
    catalog: () => store.catalog(),
    scrub: (tables) => store.scrub(tables),
    size: () => store.size(),
  })
  const plugin: Plugin = definePlugin({
    name: under.plugin.name,
    phase: 'store',
    ...(under.plugin.config && { config: under.plugin.config }),
    provides: StoreCapability,
    setup: async (context) => around((await under.plugin.setup(context)) as Store),
  })
  return {
    store: { ...under, plugin },
    begin: () => (isAway = true),
    end: () => (isAway = false),
  }
}
