import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { STORES } from '../../../test/kit/stores.ts'
import type { JobKind } from './contract.ts'
import { type JobServer, note, startJobServer, type JobServerOptions } from './jobs.testkit.ts'

const Parcel = z.strictObject({ to: z.string(), number: z.int(), fails: z.int().default(0) })
type Parcel = z.input<typeof Parcel>

for (const store of STORES) {
  describe(`jobs of one key on ${store.name}`, () => {
    /** A server whose parcels to one address go out in order; those that fail do so as often as they say. */
    async function start(
      options: Partial<JobServerOptions> & { readonly run?: (parcel: Parcel) => Promise<void> } = {},
    ): Promise<
      JobServer & { parcels: JobKind<Parcel>; put: (parcel: Parcel, key?: string) => Promise<boolean> }
    > {
      let declared: JobKind<Parcel> | undefined
      const server = await startJobServer({
        store,
        ...options,
        declare(jobs) {
          declared = jobs.kind('parcel', {
            payload: Parcel,
            delaysMs: [1000],
            order: ({ to }) => to,
            async run(parcel, { attempt, commit }) {
              await options.run?.(parcel)
              if (attempt <= parcel.fails) throw new Error('not at home')
              await commit((transaction) => note(transaction, `${parcel.to}${parcel.number}`))
            },
          })
        },
      })
      if (declared === undefined) throw new Error('there is no kind')
      const parcels = declared
      const put = (parcel: Parcel, key = 'parcels') =>
        server.transaction((transaction) => parcels.put(transaction, parcel, { key }))
      return { ...server, parcels, put }
    }

    const order = (notes: readonly string[], to: string) =>
      notes.filter((text) => text.startsWith(to)).map((text) => Number(text.slice(1)))
    const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

    it('run one after the other in the order of putting, those of other keys beside them', async () => {
      const running = new Map<string, number>()
      let most = 0
      const server = await start({
        async run({ to }) {
          running.set(to, (running.get(to) ?? 0) + 1)
          most = Math.max(most, ...running.values())
          await new Promise((resolve) => setTimeout(resolve, 5))
          running.set(to, running.get(to)! - 1)
        },
      })
      for (const number of upTo(10)) for (const to of ['a', 'b', 'c']) await server.put({ to, number })
      await server.tick()
      const notes = await server.notes()
      for (const to of ['a', 'b', 'c']) expect(order(notes, to)).toEqual(upTo(10))
      expect(most).toBe(1)
      expect(notes).not.toEqual(notes.toSorted())
    })

    it('keep that order where one transaction puts several, and whatever moment each was put for', async () => {
      const server = await start()
      await server.transaction(async (transaction) => {
        const at = new Date(server.clock.now() + 5000).toISOString()
        await server.parcels.put(transaction, { to: 'a', number: 0 }, { at })
        for (const number of [1, 2]) await server.parcels.put(transaction, { to: 'a', number })
      })
      expect(await server.tick()).toBe(0)
      server.clock.advance(5000)
      expect(await server.tick()).toBe(3)
      expect(order(await server.notes(), 'a')).toEqual([0, 1, 2])
    })

    it('wait while an earlier one waits for its next try; those of other keys do not', async () => {
      const server = await start()
      await server.put({ to: 'a', number: 0, fails: 1 })
      await server.put({ to: 'a', number: 1 })
      await server.put({ to: 'b', number: 0 })
      await server.tick()
      expect(await server.notes()).toEqual(['b0'])
      server.clock.advance(1000)
      await server.tick()
      expect(order(await server.notes(), 'a')).toEqual([0, 1])
    })

    it('go on when an earlier one is put aside, which comes last where it is tried again', async () => {
      const server = await start()
      await server.put({ to: 'a', number: 0, fails: 2 }, 'first')
      for (const number of [1, 2]) await server.put({ to: 'a', number })
      await server.tick()
      server.clock.advance(1000)
      await server.tick()
      expect(order(await server.notes(), 'a')).toEqual([1, 2])
      await server.put({ to: 'a', number: 3 })
      await server.transaction((transaction) => server.parcels.retry(transaction, 'first'))
      await server.tick()
      expect(order(await server.notes(), 'a')).toEqual([1, 2, 3])
      server.clock.advance(1000)
      await server.tick()
      expect(await server.parcels.inspect('first')).toMatchObject([{ status: 'failed' }])
    })

    it('go on when the first ones are cancelled, and when some in the middle are', async () => {
      const server = await start()
      for (const number of [0, 1]) await server.put({ to: 'a', number, fails: 1 }, 'first')
      await server.put({ to: 'a', number: 2 })
      await server.put({ to: 'a', number: 3 }, 'middle')
      await server.put({ to: 'a', number: 4 })
      const cancel = (key: string) =>
        server.transaction((transaction) => server.parcels.cancel(transaction, key))
      expect([await cancel('middle'), await cancel('first')]).toEqual([1, 2])
      await server.tick()
      expect(order(await server.notes(), 'a')).toEqual([2, 4])
    })

    describe('that are put by a transaction which takes its time', () => {
      /** Puts a parcel and commits it a moment later. */
      const putSlowly = (server: Awaited<ReturnType<typeof start>>, number: number) =>
        server.transaction(async (transaction) => {
          await server.parcels.put(transaction, { to: 'a', number })
          await new Promise((resolve) => setTimeout(resolve, 300))
        })
      const moment = () => new Promise((resolve) => setTimeout(resolve, 100))

      it('run though the one before them was done meanwhile', async () => {
        const server = await start()
        await server.put({ to: 'a', number: 0 })
        const putting = putSlowly(server, 1)
        await moment()
        await Promise.all([putting, server.tick()])
        await server.tick()
        expect(order(await server.notes(), 'a')).toEqual([0, 1])
      })

      it('run though the one before them was put aside meanwhile', async () => {
        let putting: Promise<unknown> | undefined
        let tries = 0
        const server: Awaited<ReturnType<typeof start>> = await start({
          async run({ number }) {
            // Not before: what somebody stands behind is not claimed until that is durable.
            if (number !== 0 || (tries += 1) === 1) return
            putting = putSlowly(server, 1)
            await moment()
          },
        })
        await server.put({ to: 'a', number: 0, fails: 2 })
        await server.tick()
        server.clock.advance(1000)
        await server.tick()
        await putting
        await server.tick()
        expect(order(await server.notes(), 'a')).toEqual([1])
      })

      it('run though the one before them was cancelled meanwhile', async () => {
        const server = await start()
        await server.put({ to: 'a', number: 0 }, 'first')
        const putting = putSlowly(server, 1)
        await moment()
        const cancelling = server.transaction((transaction) => server.parcels.cancel(transaction, 'first'))
        await Promise.all([putting, cancelling])
        await server.tick()
        expect(order(await server.notes(), 'a')).toEqual([1])
      })

      it('run one after the other where none was there before them', async () => {
        const slow = (number: number) => new Promise((resolve) => setTimeout(resolve, number === 0 ? 100 : 0))
        const server = await start({ run: async ({ number }) => void (await slow(number)) })
        const putting = putSlowly(server, 0)
        await moment()
        await Promise.all([putting, server.put({ to: 'a', number: 1 })])
        await server.tick()
        expect(order(await server.notes(), 'a')).toEqual([0, 1])
      })
    })

    it('are all run, one at a time, while many put some, cancel some and run them', async () => {
      let running = 0
      const clashes: number[] = []
      const server = await start({
        config: { poll_seconds: 0.1, workers: 8 },
        async run({ number }) {
          // The run of one that was cancelled may still be ending.
          if (number % 5 === 0) return
          running += 1
          if (running > 1) clashes.push(running)
          await new Promise((resolve) => setTimeout(resolve, 1))
          running -= 1
        },
      })
      const rounds = 12
      const putting = upTo(8).map(async (writer) => {
        for (const round of upTo(rounds)) {
          const number = writer * rounds + round
          await server.put({ to: 'a', number }, `k${number}`)
          if (number % 5 === 0) {
            await server.transaction((transaction) => server.parcels.cancel(transaction, `k${number}`))
          }
        }
      })
      await Promise.all(putting)
      const isOver = async () =>
        (await Promise.all(upTo(8 * rounds).map((number) => server.parcels.inspect(`k${number}`)))).flat()
          .length
      await expect.poll(isOver, { timeout: 20_000, interval: 200 }).toBe(0)
      const done = order(await server.notes(), 'a')
      expect(new Set(done).size).toBe(done.length)
      expect(upTo(8 * rounds).filter((number) => number % 5 !== 0 && !done.includes(number))).toEqual([])
      for (const writer of upTo(8)) {
        const own = done.filter((number) => Math.floor(number / rounds) === writer)
        expect(own).toEqual(own.toSorted((a, b) => a - b))
      }
      expect(clashes).toEqual([])
    })
  })
}
