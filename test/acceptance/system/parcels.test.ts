import type { Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const PARCELS = new URL('../../fixtures/third-party-plugin/parcels.js', import.meta.url).href
const { plugin }: { readonly plugin: Plugin } = await import(PARCELS)
const HOUR = 3_600_000

for (const store of STORES) {
  describe(`a plugin with a table of its own on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [plugin] })
    const send = async (method: string, path: string, body?: unknown) =>
      (await server().request(method, `/api/v1/parcels${path}`, body === undefined ? {} : { body })).body.data

    it('aggregates its rows, and claims them for one asker each', async () => {
      // Noon in March, in UTC: twelve hours later it is another day in Madrid.
      for (const [id, grams] of [
        ['a', 100],
        ['b', 250],
      ] as const) {
        await send('POST', '', { id, grams })
        server().clock.advance(11 * HOUR + HOUR / 2)
      }
      await send('POST', '', { id: 'c', grams: 5 })
      const takes = await Promise.all(
        ['ann', 'bob'].map((courier) => send('POST', '/take', { courier, most: 1 })),
      )
      const taken = takes.flatMap(({ parcels }) => parcels.map(({ id }: { id: string }) => id))
      expect(taken.toSorted()).toEqual(['a', 'b'])
      expect((await send('GET', '/days')).days).toEqual([
        { day: '2026-03-02', parcels: 2, waiting: 1, grams: 255, average: 127.5 },
        { day: '2026-03-01', parcels: 1, waiting: 0, grams: 100, average: 100 },
      ])
      expect((await send('GET', '/days?least=200')).days).toHaveLength(1)
    })
  })
}
