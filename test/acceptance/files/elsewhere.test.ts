import type { Plugin } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel } from '../../kit/test-kernel.ts'
import { PNG, useDesk } from './desk.ts'
import type { PlaceUnderTest } from './places.ts'

const CHEST = new URL('../../fixtures/third-party-plugin/chest.js', import.meta.url).href
const { plugin: chest } = (await import(CHEST)) as { readonly plugin: Plugin }

/** Nowhere: a plugin keeps the bytes. */
const NOWHERE: PlaceUnderTest = {
  name: 'disk',
  open: async () => ({
    config: {},
    folder: '',
    keys: () => [],
    takeAway: async () => undefined,
    bringBack: async () => undefined,
    drop: async () => undefined,
  }),
}
const LARGE = Buffer.alloc(70_000, 'text ')

for (const store of STORES)
  describe(`files that a plugin keeps, on ${store.name}`, () => {
    const desk = useDesk(store, NOWHERE, {}, { chest: { bytes: 100_000 } }, [chest])

    it('[C1.6] [C1.9] [C1.11] come, are given out whole and in parts, and go', async () => {
      const { path } = await desk().kept()
      expect((await desk().ask('GET', path)).bytes.equals(PNG)).toBe(true)
      const part = await desk().ask('GET', path, { headers: { range: 'bytes=1-3' } })
      expect([part.status, part.bytes.toString()]).toEqual([206, 'PNG'])
      const large = await desk().kept({ bytes: LARGE, type: 'text/plain', name: 'a.txt' })
      expect((await desk().ask('GET', large.path)).bytes.equals(LARGE)).toBe(true)
      const full = await desk().upload({ bytes: LARGE, type: 'text/plain', name: 'b.txt' })
      expect([full.status, full.body.error_code]).toEqual([503, 'UNAVAILABLE'])
      const wrong = await desk().upload({ bytes: 'no picture' })
      expect([wrong.status, wrong.body.errors[0].rule]).toEqual([422, 'content'])
      expect((await desk().ask('DELETE', large.path)).status).toBe(204)
      expect((await desk().ask('GET', large.path)).status).toBe(404)
      await desk().kept({ bytes: LARGE, type: 'text/plain', name: 'b.txt' })
    })

    it('[C1.1] have no second place', async () => {
      const starting = startTestKernel({ store, plugins: [chest], config: { files: { root: '/tmp' } } })
      await expect(starting).rejects.toThrow(/^files: a plugin keeps the bytes of files/)
    })
  })
