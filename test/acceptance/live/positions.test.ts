import { type Data, DomainsCapability } from '@svc/domain/contract'
import { definePlugin, SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { follow } from '../../kit/event-stream.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const EVENTS = '/api/v1/domains/shop/events'
const SOON = { timeout: 30_000, interval: 20 }
const POSITIONS = size('LIVE_POSITIONS', { smoke: 30, whole: 10_000 })
/** How long a test of them may take, in milliseconds. */
const TIME = 60_000 + POSITIONS * 150
/** Streams are dearer than pages: so many positions are followed, spread over all. */
const FOLLOWED = 12
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Note:
      object: { text: string }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`

for (const store of STORES) {
  describe(`positions on ${store.name}`, () => {
    let data: Data
    const holder = definePlugin({
      name: 'holder',
      phase: 'domain',
      requires: { domains: DomainsCapability },
      setup: ({ domains }) =>
        domains.block({
          on: 'domain',
          key: 'holder',
          compile: () => ({
            open(opened) {
              data = opened
            },
          }),
        }),
    })
    const server = useTestKernel({ store, plugins: [holder], definition: DEFINITION })
    const note = async (text: string) => {
      const { status } = await server().request('POST', '/api/v1/shop/notes', { body: { text } })
      expect(status).toBe(201)
    }
    const page = async (query: string) => (await server().request('GET', `${EVENTS}${query}`)).body.data
    const all = async (after: string) => {
      const ids: string[] = []
      for (let from = after; ;) {
        const { items, next } = await page(`?after=${from}&limit=1000`)
        ids.push(...items.map(({ id }: { id: string }) => id))
        if (next === from) return ids
        from = next
      }
    }

    it(
      '9.1, 9.6: a position anywhere gives the rest exactly, as pages and as a stream',
      async () => {
        const start = (await page('?limit=1000')).next as string
        for (let at = 0; at < POSITIONS; at += 20)
          await Promise.all(
            Array.from({ length: Math.min(20, POSITIONS - at) }, (_, more) => note(`n${at + more}`)),
          )
        const ids = await all(start)
        expect(new Set(ids).size).toBe(POSITIONS)
        for (const [at, id] of ids.entries()) {
          const { items } = await page(`?after=${id}&limit=100`)
          expect(items.map((one: { id: string }) => one.id)).toEqual(ids.slice(at + 1, at + 101))
        }
        const step = Math.max(1, Math.floor(POSITIONS / FOLLOWED))
        for (let at = 0; at < POSITIONS; at += step) {
          const stream = await follow(server(), `${EVENTS}?after=${ids[at]}`)
          await expect.poll(() => stream.told.length, SOON).toBe(ids.length - at - 1)
          expect(stream.told.map(({ id }) => id)).toEqual(ids.slice(at + 1))
          await stream.close()
        }
      },
      TIME,
    )

    // On SQLite there is one writer: nothing is open beside another write.
    it.each(store.name === 'postgres' ? ['late'] : [])(
      '9.1: a transaction that commits %s is passed over by no stream and no page',
      async (last) => {
        const stream = await follow(server(), EVENTS)
        await expect.poll(() => stream.events.length, SOON).toBe(1)
        const start = stream.events[0]!.id!
        const resource = data.model.resources.get('Note')!
        let release: () => void = () => undefined
        const released = new Promise<void>((resolve) => (release = resolve))
        let open: () => void = () => undefined
        const opened = new Promise<void>((resolve) => (open = resolve))
        const late = data.write({ caller: SYSTEM }, async (writes) => {
          await writes.record({ kind: 'create', resource, values: { text: last } })
          open()
          await released
        })
        await opened
        for (const text of ['b', 'c', 'd']) await note(text)
        const texts = () => stream.told.map((one) => one.data.record.text)
        await expect.poll(texts, SOON).toEqual(['b', 'c', 'd'])
        const seen = await page(`?after=${start}`)
        release()
        await late
        await expect.poll(texts, SOON).toEqual(['b', 'c', 'd', last])
        expect((await page(`?after=${seen.next}`)).items).toMatchObject([{ record: { text: last } }])
        await stream.close()
      },
    )
  })
}
