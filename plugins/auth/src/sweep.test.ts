import { StoreCapability, type Table } from '@svc/store/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { STORES, type StoreUnderTest } from '../../../test/kit/stores.ts'
import { PASSWORD, startServer } from './auth.testkit.ts'
import { apiKeys, refreshTokens, sessions, tickets } from './tables.ts'

const DAY = 86_400_000
const SWEPT = { sessions, refreshTokens, tickets, apiKeys }

async function twoLives(store: StoreUnderTest, afterMs: number, prepare: (server: Server) => Promise<void>) {
  const database = await store.open()
  onTestFinished(() => database.drop())
  const first = await startServer(store, { database })
  await prepare(first)
  await first.kernel.stop()
  const second = await startServer(store, { database, startsAt: first.clock.ms + afterMs })
  const count = ({ table }: { readonly table: Table }) =>
    second.kernel.get(StoreCapability).count({ table, where: { op: 'always' } })
  return async () => {
    const counts = await Promise.all(Object.values(SWEPT).map(count))
    return Object.fromEntries(Object.keys(SWEPT).map((name, at) => [name, counts[at]]))
  }
}
type Server = Awaited<ReturnType<typeof startServer>>

for (const store of STORES) {
  describe(`the sweep on ${store.name}`, () => {
    it('removes what ran out and nothing else', async () => {
      const left = await twoLives(store, DAY * 40, async (server) => {
        await server.create('root', ['admin'])
        await server.login('root')
        const { body } = await server.request('POST /api/v1/auth/register', {
          body: { username: 'ada', email: 'ada@example.com', password: PASSWORD },
        })
        const { access_token } = await server.login('root')
        const expiresAt = new Date(server.clock.ms + DAY).toISOString()
        for (const key of [{ name: 'short', expiresAt }, { name: 'for-good' }])
          await server.request('POST /api/v1/admin/api-keys', { token: access_token, body: key })
        expect(body.data.verification_token).toBeDefined()
      })
      await expect.poll(left).toEqual({ sessions: 0, refreshTokens: 0, tickets: 0, apiKeys: 1 })
    })

    it('keeps what is still good, and keys that ran out lately', async () => {
      const left = await twoLives(store, DAY * 2, async (server) => {
        await server.create('root', ['admin'])
        const { access_token, refresh_token } = await server.login('root')
        await server.request('POST /api/v1/auth/refresh', { body: { refresh_token } })
        await server.request('POST /api/v1/auth/forgot-password', { body: { email: 'root@example.com' } })
        const expiresAt = new Date(server.clock.ms + DAY).toISOString()
        const body = { name: 'short', expiresAt }
        await server.request('POST /api/v1/admin/api-keys', { token: access_token, body })
      })
      await expect.poll(left).toEqual({ sessions: 1, refreshTokens: 2, tickets: 0, apiKeys: 1 })
    })

    it('goes on until nothing is left', async () => {
      const left = await twoLives(store, DAY * 40, async (server) => {
        const { id } = await server.create('ada')
        await server.kernel.get(StoreCapability).transaction(async (transaction) => {
          for (let i = 0; i < 1_200; i++) {
            const created_at = new Date(server.clock.ms).toISOString()
            const session = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
            const values = { id: session, user_id: id, created_at, expires_at: created_at }
            await transaction.insert({ table: sessions.table, values })
          }
        })
      })
      await expect.poll(async () => (await left())['sessions'], { timeout: 5_000 }).toBe(0)
    })
  })
}
