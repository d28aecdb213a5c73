import {
  type Action,
  createKernel,
  definePlugin,
  type Inbound,
  type KernelOptions,
  silentLogger,
} from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { system } from './index.ts'

const inbound: Inbound = {
  id: 'r1',
  transport: 'test',
  remote: '192.0.2.1',
  params: {},
  query: {},
  meta: () => undefined,
  signal: new AbortController().signal,
}

/** Starts a kernel with `system` and answers a function that runs the action behind a route. */
async function start(options: Partial<KernelOptions> = {}) {
  const kernel = createKernel({
    environment: 'development',
    ...options,
    plugins: [system, ...(options.plugins ?? [])],
  })
  await kernel.start()
  onTestFinished(() => kernel.stop())
  return async (route: string) => {
    const action = kernel.actions.list().find(({ routes }) => routes?.some((own) => own === route))
    if (!action) throw new Error(`no action has the route '${route}'`)
    const { status, type, body } = await kernel.pipeline.run(action, inbound)
    return { status, type, body: JSON.parse(String(body)) }
  }
}

const adding = (...actions: Action[]) =>
  definePlugin({ name: 'other', phase: 'domain', setup: (ctx) => ctx.actions.add(...actions) })
const action = (name: string, more: Partial<Action> = {}): Action => ({
  name,
  access: ['*'],
  handle: () => null,
  ...more,
})

describe('health', () => {
  it('answers without an envelope', async () => {
    const get = await start()
    expect(await get('GET /health')).toEqual({
      status: 200,
      type: 'application/json',
      body: { status: 'healthy' },
    })
    expect((await get('GET /health/live')).body).toEqual({ status: 'live' })
  })

  it('is ready when no dependency fails', async () => {
    const plugin = definePlugin({
      name: 'p',
      phase: 'store',
      setup: (ctx) => ctx.probe('store', async () => {}),
    })
    const get = await start({ plugins: [plugin] })
    expect(await get('GET /health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ready', dependencies: [{ name: 'store', ok: true }] },
    })
  })

  it('answers 503 while a dependency fails, tells the reason to the log alone, and once', async () => {
    let isAway = true
    const check = async () => {
      if (isAway) throw new Error('password=hunter2')
    }
    const events: [string, object][] = []
    const log = {
      ...silentLogger,
      warn: (fields: object, event: string) => void events.push([event, fields]),
      info: (fields: object, event: string) => void events.push([event, fields]),
      child: () => log,
    }
    const plugin = definePlugin({ name: 'p', phase: 'store', setup: (ctx) => ctx.probe('store', check) })
    const get = await start({ plugins: [plugin], log })

    const [first] = await Promise.all([get('GET /health/ready'), get('GET /health/ready')])
    expect(first.status).toBe(503)
    expect(first.body).toEqual({ status: 'unready', dependencies: [{ name: 'store', ok: false }] })
    await get('GET /health/ready')
    isAway = false
    expect((await get('GET /health/ready')).status).toBe(200)
    expect(events).toEqual([
      ['system.dependency_away', { dependency: 'store', reason: 'password=hunter2' }],
      ['system.dependency_back', { dependency: 'store' }],
    ])
  })

  it('asks the probes once for callers at one time', async () => {
    let asked = 0
    const check = async () => void asked++
    const plugin = definePlugin({ name: 'p', phase: 'store', setup: (ctx) => ctx.probe('store', check) })
    const get = await start({ plugins: [plugin] })
    await Promise.all(Array.from({ length: 20 }, () => get('GET /health/ready')))
    expect(asked).toBe(1)
  })

  it('leaves no audit record, the version neither', async () => {
    const kernel = createKernel({ plugins: [system] })
    await kernel.start()
    onTestFinished(() => kernel.stop())
    const silent = kernel.actions.list().filter(({ notes }) => notes?.['audit'] === false)
    expect(silent.flatMap(({ routes }) => routes)).toEqual([
      'GET /health',
      'GET /health/live',
      'GET /health/ready',
      'GET /version',
    ])
  })
})

describe('version', () => {
  it('is the release of the host, without an envelope', async () => {
    const release = { version: '1.2.3', build: '7', commit: 'abc' }
    const get = await start({ release })
    expect((await get('GET /version')).body).toEqual(release)
  })
})

describe('status', () => {
  it('counts each domain once and every route', async () => {
    const plugin = adding(
      action('svc.shop.order.list', { notes: { domain: 'shop' }, routes: ['GET /api/v1/shop/orders'] }),
      action('svc.shop.order.get', { notes: { domain: 'shop' }, routes: ['GET /api/v1/shop/orders/:id'] }),
      action('svc.blog.post.list', { notes: { domain: 'blog' } }),
      action('svc.domain.list'),
    )
    const { body } = await (await start({ plugins: [plugin] }))('GET /api/v1/status')
    expect(body).toMatchObject({ status: 'ok', code: 200, data: { domains: 2, routes: 9 } })
    expect(body.data.memory).toEqual({
      rss: expect.any(Number),
      heapTotal: expect.any(Number),
      heapUsed: expect.any(Number),
    })
    expect(Number.isInteger(body.data.uptime)).toBe(true)
  })
})

describe('plugins', () => {
  it('says transport, store or handler, and the state of each', async () => {
    const idle = (name: string, phase: 'transport' | 'store' | 'scripting') =>
      definePlugin({ name, phase, setup: () => undefined })
    const get = await start({ plugins: [idle('t', 'transport'), idle('s', 'store'), idle('x', 'scripting')] })
    expect((await get('GET /api/v1/plugins')).body.data.plugins).toEqual([
      { name: 't', type: 'transport', status: 'ready' },
      { name: 's', type: 'store', status: 'ready' },
      { name: 'system', type: 'handler', status: 'ready' },
      { name: 'x', type: 'handler', status: 'ready' },
    ])
  })
})

describe('routes', () => {
  it('lists them by path and then by method, and leaves out what is switched off', async () => {
    const plugin = adding(
      action('b.update', { routes: ['PUT /b/:id', 'PATCH /b/:id'] }),
      action('b.hidden', { routes: ['GET /b/hidden'], enabled: () => false }),
      action('a.list', { routes: ['GET /a'] }),
    )
    const { data } = (await (await start({ plugins: [plugin] }))('GET /api/v1/routes')).body
    expect(data.count).toBe(data.routes.length)
    expect(data.routes.slice(0, 4)).toEqual([
      { method: 'GET', path: '/a', action: 'a.list' },
      { method: 'GET', path: '/api/v1/plugins', action: 'svc.system.plugins' },
      { method: 'GET', path: '/api/v1/routes', action: 'svc.system.routes' },
      { method: 'GET', path: '/api/v1/status', action: 'svc.system.status' },
    ])
    expect(data.routes.slice(4, 6)).toEqual([
      { method: 'PATCH', path: '/b/:id', action: 'b.update' },
      { method: 'PUT', path: '/b/:id', action: 'b.update' },
    ])
    expect(data.routes.some(({ action }: { action: string }) => action === 'b.hidden')).toBe(false)
  })
})
