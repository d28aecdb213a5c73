import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import type { Source } from './contract.ts'
import { type JobServer, startJobServer } from './jobs.testkit.ts'

for (const store of STORES) {
  describe(`rows of others that servers look at on ${store.name}`, () => {
    /** A server with one source that finds so many things, one at a time. */
    async function start(config: Readonly<Record<string, unknown>>, things: () => number, failing = false) {
      let looks = 0
      let left = things()
      let source: Source | undefined
      const server: JobServer = await startJobServer({
        store,
        config,
        declare(jobs) {
          source = jobs.source('things', async () => {
            looks += 1
            if (failing) throw new Error('no')
            left -= 1
            return left >= 0
          })
        },
      })
      const found = source
      if (found === undefined) throw new Error('there is no source')
      return { server, source: found, looks: () => looks, refill: (more: number) => (left = more) }
    }

    it('are looked at in a tick until nothing is found', async () => {
      const { server, looks } = await start({ enabled: false }, () => 3)
      await server.tick()
      expect(looks()).toBe(4)
    })

    it('are looked at in each period, and at once when they are woken', async () => {
      const { source, looks } = await start({ poll_seconds: 0.1 }, () => 0)
      await expect.poll(looks).toBeGreaterThan(2)
      const slow = await start({ poll_seconds: 60 }, () => 0)
      await expect.poll(slow.looks).toBe(1)
      slow.source.wake()
      await expect.poll(slow.looks).toBe(2)
      await slow.source.end()
      slow.source.wake()
      expect(slow.looks()).toBe(2)
      await source.end()
    })

    it('are left alone by a server that does no work', async () => {
      const { source, looks } = await start({ enabled: false, poll_seconds: 0.1 }, () => 0)
      source.wake()
      expect(looks()).toBe(0)
    })

    it('that cannot be looked at are told of once, and asked again', async () => {
      const { server, looks } = await start({ poll_seconds: 0.1 }, () => 0, true)
      await expect.poll(looks).toBeGreaterThan(2)
      const told = server.log.filter(({ event }) => event === 'jobs.source_failed')
      expect(told).toMatchObject([{ fields: { source: 'things' } }])
    })
  })
}
