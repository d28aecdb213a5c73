import { errors } from '@svc/kernel'
import { StoreCapability, type Transaction } from '@svc/store/contract'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SendRequest } from '../../kit/request.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from './shop.ts'
import { sendFile } from './translators.ts'

const STATEMENTS = ['select', 'insert', 'insertRows', 'update', 'updateRows', 'remove', 'claim'] as const
/** No import of these tests takes so many. */
const MANY = 40

/** Lets the n-th statement of all transactions from now on fail; answers how many there were. */
function failAt(server: TestKernel, n: number): () => number {
  const store = server.kernel.get(StoreCapability)
  const transaction = store.transaction.bind(store)
  let count = 0
  const counted = (begun: Transaction): Transaction =>
    new Proxy(begun, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (!STATEMENTS.some((one) => one === name)) return member.bind(target)
        return async (...given: unknown[]) => {
          count += 1
          if (count === n) throw errors.UNAVAILABLE()
          return member.apply(target, given)
        }
      },
    })
  vi.spyOn(store, 'transaction').mockImplementation((work, options) =>
    transaction((begun) => work(counted(begun)), options),
  )
  return () => count
}

const labels = async (request: SendRequest) => {
  const { body } = await request('GET', '/api/v1/domains/shop/schema', {
    headers: { 'accept-language': 'cy' },
  })
  const { fields } = body.data.resources.Order
  return [fields.title.label, fields.total.label]
}
const file = (title: string, total: string) =>
  `locale: cy\nresources: { Order: { fields: { title: ${title}, total: ${total} } } }`

for (const store of STORES) {
  describe(`imports beside failures and each other on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    afterEach(() => void vi.restoreAllMocks())
    const send = (content: string) => sendFile(server().request, server().admin, content)

    it('L15 an import that fails at any of its statements has changed nothing', async () => {
      await send(file('Teitl', 'Cyfanswm'))
      let failed = 0
      for (let n = 1; n < MANY; n += 1) {
        const count = failAt(server(), n)
        const { status } = await send(file(`Teitl${n}`, `Cyfanswm${n}`))
        vi.restoreAllMocks()
        if (count() < n) {
          expect(status).toBe(200)
          expect(await labels(server().request)).toEqual([`Teitl${n}`, `Cyfanswm${n}`])
          break
        }
        failed += 1
        expect(status).toBe(503)
        expect(await labels(server().request)).toEqual(['Teitl', 'Cyfanswm'])
      }
      expect(failed).toBeGreaterThan(3)
    })

    it('L15 it counts on every server within a second, also one that starts later', async () => {
      const { database, clock } = server()
      const second = await startSecond(database, clock)
      onTestFinished(() => second.stop())
      await send(file('Enw', 'Swm'))
      const since = performance.now()
      await vi.waitFor(async () => expect(await labels(second.request)).toEqual(['Enw', 'Swm']), {
        timeout: 1000,
        interval: 20,
      })
      expect(performance.now() - since).toBeLessThan(1000)
      const third = await startSecond(database, clock)
      onTestFinished(() => third.stop())
      expect(await labels(third.request)).toEqual(['Enw', 'Swm'])
    })

    it('L15 of two servers that import at once one is last, wholly, and nothing is lost', async () => {
      const { database, clock, admin, request } = server()
      const second = await startSecond(database, clock)
      onTestFinished(() => second.stop())
      const servers = [request, second.request]
      for (let round = 0; round < 5; round += 1) {
        const answers = await Promise.all(
          servers.map((one, at) => sendFile(one, admin, file(`T${round}-${at}`, `S${round}-${at}`))),
        )
        expect(answers.map(({ status }) => status)).toEqual([200, 200])
        await vi.waitFor(async () => {
          const [own, other] = [await labels(request), await labels(second.request)]
          expect(own).toEqual(other)
          expect([0, 1].map((at) => [`T${round}-${at}`, `S${round}-${at}`])).toContainEqual(own)
        }, 2000)
      }
      await Promise.all([
        sendFile(request, admin, 'locale: cy\nenums: { Status: Statws }'),
        sendFile(second.request, admin, 'locale: cy\nresources: { Order: { plural: Archebion } }'),
      ])
      const { body } = await request('GET', '/api/v1/shop/localization/export?locale=cy&format=yaml', {
        token: admin,
      })
      expect(body).toContain('Statws')
      await vi.waitFor(async () => {
        const again = await request('GET', '/api/v1/shop/localization/export?locale=cy', { token: admin })
        expect(again.body).toContain('Archebion')
      }, 2000)
    })
  })
}
