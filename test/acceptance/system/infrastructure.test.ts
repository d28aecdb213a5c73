import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { CUSTOMERS, ORDERS, SHOP } from '../shop.ts'

for (const store of STORES) {
  describe(`the server on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    const get = (path: string, token?: string) =>
      server().request('GET', path, token === undefined ? {} : { token })

    it('is healthy, alive and ready', async () => {
      expect((await get('/health')).body).toEqual({ status: 'healthy' })
      expect((await get('/health/live')).status).toBe(200)
      const ready = await get('/health/ready')
      expect([ready.status, ready.body.status]).toEqual([200, 'ready'])
    })

    it('tells its version without an envelope', async () => {
      const { body } = await get('/version')
      expect(Object.keys(body).sort()).toEqual(['build', 'commit', 'version'])
    })

    it('counts domains and routes', async () => {
      const { body } = await get('/api/v1/status')
      expect(body.data).toMatchObject({ domains: 1, routes: expect.any(Number) })
      expect(body.data.memory.heapUsed).toBeGreaterThan(0)
    })

    it('lists its plugins, all of them ready', async () => {
      const { plugins } = (await get('/api/v1/plugins')).body.data
      expect(plugins).toContainEqual({ name: store.name, type: 'store', status: 'ready' })
      expect(plugins).toContainEqual({ name: 'rest', type: 'transport', status: 'ready' })
      expect(plugins).toContainEqual({ name: 'domain', type: 'handler', status: 'ready' })
      expect(new Set(plugins.map(({ status }: { status: string }) => status))).toEqual(new Set(['ready']))
    })

    it('lists its routes, those of a definition too', async () => {
      const { count, routes } = (await get('/api/v1/routes')).body.data
      expect(routes).toHaveLength(count)
      expect(routes).toContainEqual({ method: 'GET', path: ORDERS, action: 'svc.shop.order.list' })
    })

    it.each(['/api', '/api/v1/nothing', '/health/', '/api/v1/shop/orders/1/2/3', '/%2e%2e/etc/passwd'])(
      'has nothing at %s',
      async (path) => {
        const { status, body } = await get(path)
        expect([status, body.status, body.code, body.error_code]).toEqual([404, 'error', 404, 'NOT_FOUND'])
      },
    )

    it('puts every request of a caller on record', async () => {
      await get(ORDERS, server().admin)
      const { status, body } = await get('/api/v1/admin/audit?action=svc.shop.order.list', server().admin)
      expect(status).toBe(200)
      expect(body.data.items[0]).toMatchObject({
        username: 'admin',
        action: 'svc.shop.order.list',
        statusCode: 200,
        remoteAddr: '127.0.0.1',
      })
    })

    it('gives every answer an id of its request', async () => {
      const [first, second] = [await get(CUSTOMERS), await get('/nowhere')]
      const ids = [first, second].map(({ headers }) => headers.get('x-request-id'))
      expect(new Set(ids).size).toBe(2)
      expect(ids).not.toContain(null)
    })
  })

  describe(`the rate limit on ${store.name}`, () => {
    const server = useTestKernel({ store, config: { rate_limit: { max_requests: 30, window_seconds: 60 } } })

    it('lets its number of requests pass, refuses the next, and opens again', async () => {
      const answers = []
      for (let count = 0; count < 31; count++) answers.push(await server().request('GET', '/version'))
      const last = answers.at(-1)!
      expect([last.status, last.body.error_code]).toEqual([429, 'RATE_LIMITED'])
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(answers[0]!.headers.get('ratelimit-limit')).toBe('30')
      server().clock.advance(61_000)
      expect((await server().request('GET', '/version')).status).toBe(200)
    })
  })
}
