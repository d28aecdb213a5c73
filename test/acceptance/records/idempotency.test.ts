import { HttpServerCapability } from '@svc/rest/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { ACCOUNTS, DESK, TICKETS } from '../desk.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Tokens that outlive the day. */
const AUTH = { jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 1_000_000 } }
/** Clients are told apart as behind a proxy. */
const BEHIND = { port: 0, trusted_proxies: ['127.0.0.1'] }

for (const store of STORES) {
  describe(`requests with an Idempotency-Key on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK, config: { auth: AUTH, rest: BEHIND } })
    let agent: TestAccount
    let other: TestAccount

    beforeAll(async () => {
      agent = await server().account('agent', ['agent'])
      other = await server().account('other', ['agent'])
    })

    const post = (path: string, key: string, body?: unknown, { token } = agent) =>
      server().request('POST', path, {
        token,
        headers: { 'idempotency-key': key },
        ...(body !== undefined && { body }),
      })
    const total = async () => (await server().request('GET', `${TICKETS}/count`)).body.data.total
    const ticket = async () => (await post(TICKETS, crypto.randomUUID(), { title: 'Printer' })).body.data.id

    it('are carried out once and answered the same again', async () => {
      const body = { title: 'Printer', slug: 'the-printer', margin: 3 }
      const first = await post(TICKETS, 'a', body)
      const before = await total()
      const second = await post(TICKETS, 'a', body)
      expect([first.status, second.status]).toEqual([201, 201])
      expect(second.body).toEqual(first.body)
      expect(second.body.warnings).toHaveLength(1)
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
      expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([
        null,
        'true',
      ])
      expect(await total()).toBe(before)
    })

    it('are another request for another caller, path or key', async () => {
      const body = { title: 'Printer' }
      const before = await total()
      for (const [path, key, who] of [
        [TICKETS, 'b', agent],
        [TICKETS, 'b', other],
        [TICKETS, 'c', agent],
      ] as const) {
        expect((await post(path, key, body, who)).headers.get('idempotency-replayed')).toBeNull()
      }
      expect((await post(`${TICKETS}/bulk`, 'b', [body])).body.data.created).toBe(1)
      expect(await total()).toBe(before + 4)
    })

    it('are another request for a client without credentials at another address', async () => {
      const create = async (address: string) => {
        const { status, headers } = await fetch(
          new URL(ACCOUNTS, server().kernel.get(HttpServerCapability).url()),
          {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'idempotency-key': 'guest',
              'x-forwarded-for': address,
            },
            body: JSON.stringify({ login: `guest ${address}`, secret: 'Correct-horse-7' }),
          },
        )
        return [status, headers.get('idempotency-replayed')]
      }
      expect(await create('192.0.2.1')).toEqual([201, null])
      expect(await create('192.0.2.2')).toEqual([201, null])
      expect(await create('192.0.2.1')).toEqual([201, 'true'])
    })

    it('are refused with another body', async () => {
      await post(TICKETS, 'd', { title: 'Printer' })
      const { status, body } = await post(TICKETS, 'd', { title: 'Scanner' })
      expect([status, body.error_code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    })

    it('are judged again where they were refused', async () => {
      const refused = await post(TICKETS, 'e', { title: 'x' })
      expect(refused.status).toBe(422)
      const fine = await post(TICKETS, 'e', { title: 'Printer' })
      expect([fine.status, fine.headers.get('idempotency-replayed')]).toEqual([201, null])
    })

    it('are carried out once, however many arrive together', async () => {
      const before = await total()
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => post(TICKETS, 'f', { title: 'Printer' })),
      )
      const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id)
      expect(new Set(ids).size).toBe(1)
      for (const { status, body } of answers) {
        if (status !== 201) expect([status, body.error_code]).toEqual([409, 'CONFLICT'])
      }
      expect(await total()).toBe(before + 1)
    })

    it('work for every POST on records', async () => {
      const id = await ticket()
      const sent = [
        [`${TICKETS}/bulk`, [{ title: 'Printer' }, {}]],
        [`${TICKETS}/import`, [{ title: 'Printer' }]],
        [`${TICKETS}/${id}/assign`, { priority: 4 }],
        [`${TICKETS}/${id}/transitions/wait`, undefined],
        [`${TICKETS}/digest`, { of: 'today' }],
      ] as const
      for (const [path, body] of sent) {
        const first = await post(path, 'g', body)
        const before = await total()
        const second = await post(path, 'g', body)
        expect([path, first.status]).toEqual([
          path,
          path.endsWith('bulk') || path.endsWith('import') ? 201 : 200,
        ])
        expect(second.headers.get('idempotency-replayed')).toBe('true')
        expect(second.body).toEqual(first.body)
        expect(await total()).toBe(before)
      }
      await server().request('DELETE', `${TICKETS}/${id}`, { token: agent.token })
      const restored = await post(`${TICKETS}/${id}/restore`, 'g')
      const again = await post(`${TICKETS}/${id}/restore`, 'g')
      expect([restored.status, again.status, again.body]).toEqual([200, 200, restored.body])
    })

    it('are forgotten after a day', async () => {
      const body = { title: 'Printer' }
      await post(TICKETS, 'h', body)
      server().clock.advance(DAY_MS - 1)
      expect((await post(TICKETS, 'h', body)).headers.get('idempotency-replayed')).toBe('true')
      server().clock.advance(1)
      expect((await post(TICKETS, 'h', body)).headers.get('idempotency-replayed')).toBeNull()
      expect((await post(TICKETS, 'h', body)).headers.get('idempotency-replayed')).toBe('true')
    })

    it('need a key of 1 to 255 printable characters', async () => {
      expect((await post(TICKETS, 'k'.repeat(255), { title: 'Printer' })).status).toBe(201)
      for (const key of ['k'.repeat(256), 'é', 'a\tb']) {
        const { status, body } = await post(TICKETS, key, { title: 'Printer' })
        expect([status, body.error_code]).toEqual([400, 'BAD_REQUEST'])
      }
    })
  })
}
