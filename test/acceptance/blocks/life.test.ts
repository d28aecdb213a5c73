import { setTimeout as delay } from 'node:timers/promises'
import { type Data, type DomainPart, DomainsCapability } from '@svc/domain/contract'
import { definePlugin, type Kernel, type Plugin, SYSTEM } from '@svc/kernel'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { startSecond } from '../../kit/second-server.ts'
import { STORES, type StoreUnderTest, type TestDatabase } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { BOARD, boards, NONE, shop } from './boards.ts'

/** What boards opened and closed: `+1` and `-1` of version 1. */
function listen({ bus }: Kernel): string[] {
  const heard: string[] = []
  const hear = (sign: string) => (event: unknown) => {
    const { version } = z.object({ version: z.string() }).parse(event)
    heard.push(`${sign}${version}`)
  }
  bus.on('boards.opened', hear('+'))
  bus.on('boards.closed', hear('-'))
  return heard
}

/** Remembers what is heard from the very start of a server. */
const listening = (heard: string[]): Plugin =>
  definePlugin({
    name: 'listening',
    phase: 'store',
    setup({ bus }) {
      bus.on('boards.opened', (event) => void heard.push(`+${JSON.stringify(event)}`))
      bus.on('boards.closed', (event) => void heard.push(`-${JSON.stringify(event)}`))
    },
  })

/** A store whose database outlives the server that it is handed to. */
async function lasting(store: StoreUnderTest) {
  const database = await store.open()
  const shared: TestDatabase = { config: database.config, drop: async () => undefined }
  return { store: { ...store, open: async () => shared }, database, drop: database.drop }
}

/** Waits for what happens beside requests, on a busy machine too. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000 })

const running: { stop(): Promise<void> }[] = []
const started = async (options: Parameters<typeof startTestKernel>[0]): Promise<TestKernel> => {
  const server = await startTestKernel(options)
  running.push(server)
  return server
}

for (const store of STORES) {
  describe(`what lives with a model on ${store.name}`, () => {
    afterEach(async () => {
      for (const one of running.splice(0)) await one.stop()
    })

    it('is opened when the model is in force, and closed before the next one opens', async () => {
      const server = await started({ store, plugins: [boards] })
      const heard = listen(server.kernel)
      await server.submit(shop())
      await eventually(() => expect(heard).toEqual(['+1']))
      await server.submit(shop({ version: '2' }))
      await eventually(() => expect(heard).toEqual(['+1', '-1', '+2']))
      await server.submit(shop({ version: '2' }))
      await server.request('POST', '/api/v1/domains/shop/rollback', { token: server.admin, body: {} })
      await eventually(() => expect(heard).toEqual(['+1', '-1', '+2', '-2', '+1']))
      await server.kernel.stop()
      expect(heard).toEqual(['+1', '-1', '+2', '-2', '+1', '-1'])
    })

    it('is closed for good where the key is taken away', async () => {
      const server = await started({ store, plugins: [boards], definition: shop() })
      const heard = listen(server.kernel)
      await server.submit(shop({ version: '2', more: NONE }))
      await eventually(() => expect(heard.at(-1)).toBe('-1'))
      await server.kernel.stop()
      expect(heard.filter((one) => one.startsWith('-'))).toEqual(['-1'])
    })

    it('is never opened for what is looked at, refused, or refused by the store', async () => {
      const server = await started({ store, plugins: [boards] })
      const heard = listen(server.kernel)
      await server.submit(shop())
      const send = (path: string, content: string) =>
        server.request('POST', path, { token: server.admin, body: { content } })
      expect(await send('/api/v1/domains/shop/preview', shop({ version: '2' }))).toMatchObject({
        status: 200,
      })
      expect(
        await send('/api/v1/domains', shop({ version: '3', more: BOARD.replace('below', 'beneath') })),
      ).toMatchObject({ status: 422 })
      expect(
        await send('/api/v1/domains', shop({ version: '4' }).replace('cost: integer', '')),
      ).not.toMatchObject({ status: 201 })
      await delay(100)
      expect(heard).toEqual(['+1'])
    })

    it('is opened on another server too, when that starts and when it takes a change over', async () => {
      const { store: kept, database, drop } = await lasting(store)
      const first = await started({ store: kept, plugins: [boards], definition: shop() })
      const heard: string[] = []
      const second = await startSecond(database, first.clock, [boards, listening(heard)])
      running.push(second, { stop: drop })
      await eventually(() => expect(heard).toHaveLength(1))
      await first.submit(shop({ version: '2' }))
      await eventually(() => expect(heard).toHaveLength(3))
      expect(heard.map((one) => one[0])).toEqual(['+', '-', '+'])
      expect(heard[2]).toContain('"version":"2"')
      await second.stop()
      expect(heard.map((one) => one[0])).toEqual(['+', '-', '+', '-'])
    })

    it('does its work on records that are written, each once', async () => {
      const server = await started({ store, plugins: [boards], definition: shop() })
      const news: unknown[] = []
      server.kernel.bus.on('boards.news', (event) => void news.push(event))
      const ids: string[] = []
      for (const price of [3, 30, 4]) {
        const { body } = await server.request('POST', '/api/v1/shop/products', {
          body: { name: 'pen', price },
        })
        ids.push(body.data.id)
      }
      await eventually(() => expect(news).toHaveLength(2))
      expect(news).toMatchObject([
        { board: 'cheap', record: ids[0] },
        { board: 'cheap', record: ids[2] },
      ])
      await delay(100)
      expect(news).toHaveLength(2)
    })
  })
}

describe('what lives with a model', () => {
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop()
  })

  const owning = (open: NonNullable<DomainPart['open']>): Plugin =>
    definePlugin({
      name: 'owning',
      phase: 'domain',
      requires: { domains: DomainsCapability },
      setup: ({ domains }) =>
        domains.block({
          on: 'domain',
          key: 'lives',
          schema: z.boolean(),
          compile: (written) => (written === true ? { open } : undefined),
        }),
    })
  const LIVES = shop({ more: '  lives: true' })

  it('keeps nobody waiting where it fails, and is tried again', async () => {
    let tries = 0
    const plugin = owning(() => {
      tries += 1
      if (tries < 3) throw new Error('the other side is away')
    })
    const server = await started({ store: STORES[0]!, plugins: [plugin], definition: LIVES })
    expect(await server.request('GET', '/api/v1/shop/products')).toMatchObject({ status: 200 })
    await eventually(() => expect(tries).toBe(3))
    expect(JSON.stringify(server.log)).toContain('domain.open_failed')
  })

  it('keeps nobody waiting where it takes its time, and only the last model is opened after it', async () => {
    let release: () => void = () => undefined
    const opened: string[] = []
    const plugin = owning(async ({ model }) => {
      opened.push(model.version)
      if (model.version === '1') await new Promise<void>((resolve) => (release = resolve))
      return () => void opened.push(`-${model.version}`)
    })
    const server = await started({ store: STORES[0]!, plugins: [plugin], definition: LIVES })
    await eventually(() => expect(opened).toEqual(['1']))
    for (const version of ['2', '3', '4']) await server.submit(shop({ version, more: '  lives: true' }))
    expect(await server.request('GET', '/api/v1/shop/products')).toMatchObject({ status: 200 })
    release()
    await eventually(() => expect(opened).toEqual(['1', '-1', '4']))
  })

  it('is open when its submit is answered, unless that takes long', async () => {
    let isOpen = false
    const plugin = owning(async () => {
      await delay(200)
      isOpen = true
    })
    const server = await started({ store: STORES[0]!, plugins: [plugin], definition: shop({ more: '' }) })
    await server.submit(shop({ version: '2', more: '  lives: true' }))
    expect(isOpen).toBe(true)
  })

  it('writes no longer than its model is in force', async () => {
    const held: Data[] = []
    let release: () => void = () => undefined
    const slow = new Promise<void>((resolve) => (release = resolve))
    const plugin = owning((data) => {
      held.push(data)
      return () => slow
    })
    const server = await started({ store: STORES[0]!, plugins: [plugin], definition: LIVES })
    await eventually(() => expect(held).toHaveLength(1))
    const make = ({ model, write }: Data) =>
      write({ caller: SYSTEM }, (writes) =>
        writes.record({
          kind: 'create',
          resource: model.resources.get('Product')!,
          values: { name: model.version },
        }),
      )
    expect(await make(held[0]!)).toMatchObject({ name: '1' })
    await server.submit(shop({ version: '2', more: '  lives: true' }))
    await expect(make(held[0]!)).rejects.toThrow("Version 1 of 'shop' is no longer in force")
    release()
    await eventually(() => expect(held).toHaveLength(2))
    expect(await make(held[1]!)).toMatchObject({ name: '2' })
  })

  it('is not opened by a start that fails', async () => {
    let opened = 0
    const { store, database, drop } = await lasting(STORES[0]!)
    running.push({ stop: drop })
    const first = await startTestKernel({ store, plugins: [owning(() => undefined)], definition: LIVES })
    await first.stop()
    const failing = definePlugin({
      name: 'failing',
      phase: 'scripting',
      setup: ({ onOpen }) => onOpen(() => Promise.reject(new Error('no way'))),
    })
    const second = startSecond(database, first.clock, [owning(() => void (opened += 1)), failing])
    await expect(second).rejects.toThrow('no way')
    await delay(50)
    expect(opened).toBe(0)
  })

  it('begins when every plugin is open', async () => {
    const order: string[] = []
    const late = definePlugin({
      name: 'late',
      phase: 'scripting',
      setup: ({ onOpen }) => onOpen(() => void order.push('plugin')),
    })
    const { store, database, drop } = await lasting(STORES[0]!)
    const first = await startTestKernel({ store, plugins: [owning(() => undefined)], definition: LIVES })
    await first.stop()
    const plugins = [owning(() => void order.push('part')), late]
    running.push(await startSecond(database, first.clock, plugins), { stop: drop })
    await eventually(() => expect(order).toEqual(['plugin', 'part']))
  })
})

describe('who hears that actions have changed', () => {
  it('finds the model in force that they belong to', async () => {
    const server = await started({ store: STORES[0]!, definition: shop({ more: NONE }) })
    const found: (string | undefined)[] = []
    const domains = server.kernel.get(DomainsCapability)
    server.kernel.actions.onChange(() => found.push(domains.model('shop')?.version))
    await server.submit(shop({ version: '2', more: NONE }))
    expect(found).toEqual(['2'])
    await running.pop()?.stop()
  })
})
