import { createHash } from 'node:crypto'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { BASE, useWorkroom } from '../acceptance/documents/workroom.ts'
import { STILL } from '../acceptance/notifications/outbox.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { Power } from './power.ts'

// An event that generates, attaches and tells of a document, and the sweep of documents whose time is over, on a server that dies: at
// each statement and each commit in turn.

/** Every how many statements and commits the server dies. */
const STRIDE = size('DOCUMENTS_STRIDE', { smoke: 7, whole: 1 })
const LEASE_MS = 31_000
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Order: { object: { number: string, papers: { type: media, maxItems: 9 } } }
  templates:
    slip:
      format: markdown
      trigger: { resource: Order, event: create }
      data: { order: record }
      attachTo: papers
      notification: { channels: [log], template: { body: '{document.filename}' } }
      body: 'Slip {number}'
  documentStorage: { path: papers, retention: { days: 1 } }
`

for (const store of STORES) {
  describe(`documents of a server that dies, on ${store.name}`, () => {
    const room = useWorkroom(store, DEFINITION, {
      sections: {
        ...STILL,
        auth: {
          jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 100 * 86_400 },
        },
      },
    })
    const call = (action: 'jobs.tick' | 'documents.sweep') =>
      room().server.kernel.callAs(SYSTEM)(action as never, {} as never)
    /** Does something until the server has done it without dying; from then on it may live. */
    const until = async (power: Power, death: number, work: () => Promise<unknown>) => {
      power.moments = 0
      power.left = death
      for (;;) {
        await work().catch(() => undefined)
        if (power.left > 0) break
        power.left = Infinity
        room().server.clock.advance(LEASE_MS)
      }
      power.left = Infinity
      return power.moments
    }
    /** The bytes of documents that lie there once what is older than an hour is swept. */
    const sweptKeys = async () => {
      const { place, server } = room()
      const old = (server.clock.now() - 2 * HOUR_MS) / 1000
      for (const key of place.keys()) utimesSync(join(place.folder, key), old, old)
      await call('documents.sweep')
      return room()
        .place.keys()
        .filter((key) => key.startsWith('papers/'))
        .toSorted()
    }

    it('C6.2, C6.15, C6.16, J2: wherever it dies, one event makes one document, whole, attached once and told of once', async () => {
      const power = new Power(room().server.kernel.get(StoreCapability), 'statements')
      const run = async (death: number) => {
        const id = await room().record('orders', { number: 'A1' })
        const moments = await until(power, death, () => call('jobs.tick') as Promise<unknown>)
        room().server.clock.advance(LEASE_MS)
        await call('jobs.tick')
        const documents = await room().documents(`?recordId=${id}`)
        const { admin } = room().server
        const { papers } = (await room().send('GET', `${BASE}/orders/${id}`, admin)).body.data
        const entries = (await room().send('GET', `${BASE}/notifications?recordId=${id}`, admin)).body.data
          .items
        const text = await room().text(documents[0])
        expect(createHash('sha256').update(text).digest('hex')).toBe(documents[0].metadata.checksum)
        return { moments, outcome: [documents.length, papers.length, entries.length, entries[0]?.status] }
      }
      const { moments, outcome } = await run(Infinity)
      expect(outcome).toEqual([1, 1, 1, 'logged'])
      let deaths = 0
      for (let death = 1; death <= moments; death += STRIDE) {
        deaths += 1
        expect((await run(death)).outcome, `death at moment ${death} of ${moments}`).toEqual(outcome)
      }
      const rows = await room().documents('?limit=500')
      expect(deaths).toBeGreaterThan(1)
      expect(rows.length).toBe(deaths + 1)
      expect(await sweptKeys()).toEqual(rows.map(({ storagePath }) => storagePath).toSorted())
    }, 300_000)

    it('C1.12, C7.1: wherever it dies, what is past its retention goes, rows and bytes alike', async () => {
      const power = new Power(room().server.kernel.get(StoreCapability), 'statements')
      const run = async (death: number) => {
        room().server.clock.advance(2 * DAY_MS)
        for (let at = 0; at < 3; at++) await room().record('orders', { number: 'B' })
        await call('jobs.tick')
        await call('documents.sweep')
        const young = await room().documents('?limit=500')
        expect(young).toHaveLength(3)
        room().server.clock.advance(DAY_MS + HOUR_MS)
        const moments = await until(power, death, () => call('documents.sweep') as Promise<unknown>)
        // Whatever is left: no row is without its bytes, and what is swept again leaves neither.
        for (const { storagePath } of await room().documents('?limit=500'))
          expect(room().place.keys()).toContain(storagePath)
        expect(await sweptKeys()).toEqual([])
        expect(await room().documents('?limit=500')).toEqual([])
        return moments
      }
      const moments = await run(Infinity)
      for (let death = 1; death <= moments; death += 1) await run(death)
    }, 300_000)
  })
}
