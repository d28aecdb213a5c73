import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { STORES } from '../../../test/kit/stores.ts'
import { type JobKind, type Jobs, Postponed, RetryLater, Unrecoverable } from './contract.ts'
import { type JobServer, note, startJobServer } from './jobs.testkit.ts'

const Letter = z.strictObject({ to: z.string() })
type Letter = z.input<typeof Letter>

for (const store of STORES) {
  describe(`jobs on ${store.name}`, () => {
    /** A server with one kind of job, `letter`, that does what is said. */
    async function start(
      options: Partial<Parameters<Jobs['kind']>[1]> & {
        run: (letter: Letter, work: Parameters<Parameters<Jobs['kind']>[1]['run']>[1]) => Promise<unknown>
      },
    ): Promise<
      JobServer & { letters: JobKind<Letter>; put: (to: string, when?: object) => Promise<boolean> }
    > {
      let letters: JobKind<Letter> | undefined
      const server = await startJobServer({
        store,
        declare: (jobs) =>
          void (letters = jobs.kind('letter', { delaysMs: [], ...options, payload: Letter })),
      })
      if (letters === undefined) throw new Error('there is no kind')
      const kind = letters
      return {
        ...server,
        letters: kind,
        put: (to, when = {}) => server.transaction((transaction) => kind.put(transaction, { to }, when)),
      }
    }

    it('[J1] are there with the write that they were put with, and not without it', async () => {
      const run: string[] = []
      const server = await start({ run: async ({ to }) => run.push(to) })
      await server.transaction(async (transaction) => {
        await note(transaction, 'written')
        await server.letters.put(transaction, { to: 'ann' })
      })
      const undone = server.transaction(async (transaction) => {
        await server.letters.put(transaction, { to: 'bob' })
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect(await server.tick()).toBe(1)
      expect(run).toEqual(['ann'])
      expect(await server.tick()).toBe(0)
    })

    it('refuse a payload that does not fit, before anything is written', async () => {
      const server = await start({ run: async () => undefined })
      const put = server.transaction((transaction) =>
        server.letters.put(transaction, { to: 7 } as unknown as Letter, { once: 'x', key: 'x' }),
      )
      await expect(put).rejects.toThrow(/expected string/)
      expect(await server.put('ann', { once: 'x' })).toBe(true)
    })

    it('[J2] are put once under a mark, on any number of tries at once, also when the first is long done', async () => {
      const run: string[] = []
      const server = await start({ run: async ({ to }) => run.push(to) })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => server.put(`n${at}`, { once: 'm' })),
      )
      expect(answers.filter(Boolean)).toHaveLength(1)
      await server.tick()
      expect(run).toHaveLength(1)
      expect(await server.put('late', { once: 'm' })).toBe(false)
      expect(await server.put('other', { once: 'n' })).toBe(true)
      await server.tick()
      expect(run).toEqual([expect.stringMatching(/^n\d+$/), 'other'])
    })

    it('have marks and keys of any length and of any characters', async () => {
      const server = await start({ run: async () => undefined })
      for (const text of ['x'.repeat(10_000), `${'x'.repeat(10_000)}y`, 'a\0b', '\ud800', '']) {
        expect(await server.put('ann', { once: text, key: text })).toBe(true)
        expect(await server.put('ann', { once: text })).toBe(false)
        expect(await server.letters.inspect(text)).toHaveLength(1)
      }
    })

    it('[A13] run at their moment by the clock of the kernel, never before', async () => {
      const run: string[] = []
      const server = await start({ run: async ({ to }) => run.push(to) })
      const at = new Date(server.clock.now() + 60_000).toISOString()
      await server.put('later', { at })
      await server.put('now')
      await server.tick()
      expect(run).toEqual(['now'])
      server.clock.advance(59_999)
      expect(await server.tick()).toBe(0)
      server.clock.advance(1)
      expect(await server.tick()).toBe(1)
      expect(run).toEqual(['now', 'later'])
    })

    it('[A13] that others put are done by the same tick', async () => {
      const run: string[] = []
      const server: Awaited<ReturnType<typeof start>> = await start({
        async run({ to }, work) {
          run.push(to)
          if (to.length < 4)
            await work.commit((transaction) => server.letters.put(transaction, { to: `${to}x` }))
        },
      })
      await server.put('x')
      expect(await server.tick()).toBe(4)
      expect(run).toEqual(['x', 'xx', 'xxx', 'xxxx'])
    })

    it('are tried again after each delay, under one id, and put aside with their error after the last', async () => {
      const tries: unknown[] = []
      const server = await start({
        delaysMs: [1000, 5000],
        async run(_, { id, attempt }) {
          tries.push([id, attempt])
          throw new TypeError(`try ${attempt}`)
        },
      })
      await server.put('ann', { key: 'k' })
      const [{ id } = { id: '' }] = (await server.letters.inspect('k')) as readonly { readonly id: string }[]
      await server.tick()
      expect(await server.letters.inspect('k')).toMatchObject([
        {
          status: 'pending',
          attempts: 1,
          at: new Date(server.clock.now() + 1000).toISOString(),
          error: { code: 'TypeError', message: 'try 1' },
        },
      ])
      server.clock.advance(1000)
      await server.tick()
      server.clock.advance(4999)
      expect(await server.tick()).toBe(0)
      server.clock.advance(1)
      await server.tick()
      expect(tries).toEqual([
        [id, 1],
        [id, 2],
        [id, 3],
      ])
      expect(await server.letters.inspect('k')).toMatchObject([
        { id, status: 'failed', attempts: 3, error: { message: 'try 3' } },
      ])
      server.clock.advance(1_000_000)
      expect(await server.tick()).toBe(0)
    })

    it('that were put aside get all tries again under their id', async () => {
      let isBroken = true
      const ids: string[] = []
      const server = await start({
        async run(_, { id }) {
          ids.push(id)
          if (isBroken) throw new Error('broken')
        },
      })
      await server.put('ann', { key: 'k' })
      await server.tick()
      isBroken = false
      const retry = () => server.transaction((transaction) => server.letters.retry(transaction, 'k'))
      expect(await retry()).toBe(1)
      expect(await server.letters.inspect('k')).toMatchObject([
        { status: 'pending', attempts: 0, error: null },
      ])
      await server.tick()
      expect(ids).toEqual([ids[0], ids[0]])
      expect(await server.letters.inspect('k')).toEqual([])
      expect(await retry()).toBe(0)
    })

    it('may say that no try will end otherwise, or when the next one makes sense', async () => {
      const server = await start({
        delaysMs: [1000, 1000],
        async run({ to }) {
          throw to === 'nobody' ? new Unrecoverable('no such person') : new RetryLater('busy', 30_000)
        },
      })
      await server.put('nobody', { key: 'a' })
      await server.put('busy', { key: 'b' })
      await server.tick()
      expect(await server.letters.inspect('a')).toMatchObject([{ status: 'failed', attempts: 1 }])
      expect(await server.letters.inspect('b')).toMatchObject([
        { status: 'pending', at: new Date(server.clock.now() + 30_000).toISOString() },
      ])
    })

    it('are put off without a failure while what they need is not there', async () => {
      const server = await start({
        run: async ({ to }, { attempt, commit }) => {
          if (attempt < 50) throw new Postponed('not there yet', 5000)
          await commit((transaction) => note(transaction, `${to} ${attempt}`))
        },
      })
      await server.put('ann', { key: 'k' })
      for (let attempt = 1; attempt < 50; attempt += 1) {
        await server.tick()
        expect(await server.tick()).toBe(0)
        server.clock.advance(5000)
      }
      await server.tick()
      expect(await server.notes()).toEqual(['ann 50'])
    })

    it('write of a failure what their kind wants, in the transaction that takes it down', async () => {
      const server = await start({
        delaysMs: [1000],
        run: async ({ to }, { attempt }) => Promise.reject(new Error(`${to} ${attempt}`)),
        async failed(transaction, { to }: Letter, { attempt, error, nextAt }) {
          await note(transaction, `${to} ${attempt} ${String(error)} ${nextAt === null ? 'aside' : 'again'}`)
        },
      })
      await server.put('ann')
      await server.tick()
      server.clock.advance(1000)
      await server.tick()
      expect(await server.notes()).toEqual(['ann 1 Error: ann 1 again', 'ann 2 Error: ann 2 aside'])
    })

    it('are put aside all the same where that fails', async () => {
      const server = await start({
        run: async () => Promise.reject(new Error('broken')),
        failed: async () => Promise.reject(new Error('broken too')),
      })
      await server.put('ann', { key: 'k' })
      await server.tick()
      expect(await server.letters.inspect('k')).toMatchObject([
        { status: 'failed', error: { message: 'broken' } },
      ])
      expect(server.log.map(({ event }) => event)).toContain('jobs.failure_untold')
    })

    it('[J2] commit their result and their mark together, or neither', async () => {
      const server = await start({
        delaysMs: [1000],
        run: async ({ to }, { attempt, commit }) =>
          commit(async (transaction) => {
            await note(transaction, `${to} ${attempt}`)
            if (attempt === 1) throw new Error('undone')
          }),
      })
      await server.put('ann', { key: 'k' })
      await server.tick()
      expect(await server.notes()).toEqual([])
      server.clock.advance(1000)
      await server.tick()
      expect(await server.notes()).toEqual(['ann 2'])
      expect(await server.letters.inspect('k')).toEqual([])
    })

    it('are done where they committed, whatever happens after that', async () => {
      const server = await start({
        async run({ to }, { commit }) {
          await commit((transaction) => note(transaction, to))
          throw new Error('too late')
        },
      })
      await server.put('ann', { key: 'k' })
      await server.tick()
      expect(await server.letters.inspect('k')).toEqual([])
      expect(await server.tick()).toBe(0)
      expect(await server.notes()).toEqual(['ann'])
      expect(server.log.map(({ event }) => event)).toContain('jobs.failed_after_commit')
    })

    it('can be completed in a transaction of their own making', async () => {
      const server: Awaited<ReturnType<typeof start>> = await start({
        run: async ({ to }, work) =>
          server.transaction(async (transaction) => {
            await note(transaction, to)
            await work.complete(transaction)
          }),
      })
      await server.put('ann', { key: 'k' })
      await server.tick()
      expect([await server.notes(), await server.letters.inspect('k')]).toEqual([['ann'], []])
    })

    it('are taken away by their key before they begin', async () => {
      const run: string[] = []
      const server = await start({ run: async ({ to }) => run.push(to) })
      await server.put('ann', { key: 'k' })
      await server.put('bob', { key: 'k', at: new Date(server.clock.now() + 1000).toISOString() })
      await server.put('cyd', { key: 'other' })
      expect(await server.transaction((transaction) => server.letters.cancel(transaction, 'k'))).toBe(2)
      server.clock.advance(1000)
      await server.tick()
      expect(run).toEqual(['cyd'])
    })

    it('that are cancelled while they run hear of it, and commit nothing', async () => {
      const told: unknown[] = []
      const server: Awaited<ReturnType<typeof start>> = await start({
        async run({ to }, { commit, signal }) {
          expect(await server.letters.inspect('k')).toMatchObject([{ status: 'running' }])
          await server.transaction((transaction) => server.letters.cancel(transaction, 'k'))
          told.push(signal.aborted)
          await commit((transaction) => note(transaction, to)).catch((error: unknown) => told.push(error))
        },
      })
      await server.put('ann', { key: 'k' })
      await server.tick()
      await expect
        .poll(() => told)
        .toEqual([true, expect.objectContaining({ message: expect.stringMatching(/cancelled/) })])
      expect([await server.notes(), await server.letters.inspect('k')]).toEqual([[], []])
    })

    it('end when their time is over, and what they do after that counts no more', async () => {
      let late: Promise<unknown> | undefined
      const server = await start({
        maxRunMs: 50,
        async run({ to }, { signal, commit }) {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          late = commit((transaction) => note(transaction, to))
          await late
        },
      })
      await server.put('ann', { key: 'k' })
      await server.tick()
      await expect(late).rejects.toThrow('nothing of this run')
      expect(await server.letters.inspect('k')).toMatchObject([
        { status: 'failed', error: { message: 'it took longer than 50 ms' } },
      ])
      expect(await server.notes()).toEqual([])
    })

    it('of a name that is taken are refused', async () => {
      let again: unknown
      await startJobServer({
        store,
        declare(jobs) {
          const options = { payload: Letter, delaysMs: [], run: async () => undefined }
          jobs.kind('letter', options)
          try {
            jobs.kind('letter', options)
          } catch (error) {
            again = error
          }
        },
      })
      expect(String(again)).toContain("'letter'")
    })
  })
}
