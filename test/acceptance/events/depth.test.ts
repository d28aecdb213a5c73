import type { Change, RecordWrite } from '@svc/domain/contract'
import { SYSTEM } from '@svc/kernel'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createFolder } from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { createProbing } from '../blocks/probe.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      probe: {}
      object: { title: string }
      permissions: ${OPEN}
    Line:
      probe: {}
      object: { title: string }
      relationships: { order: { type: belongsTo, target: Order, onDelete: cascade } }
      permissions: ${OPEN}
    Echo:
      object: { depth: integer }
      permissions: ${OPEN}
`
/** One script answers orders with an echo, another one answers each echo with the next. */
const ANSWERS = `
on('svc.shop.order.created', (event, { call }) => call('svc.shop.line.create', { data: { title: 'of a script' } }))
on('svc.shop.order.updated', (event, { call }) => call('svc.shop.echo.create', { data: { depth: event.depth } }))
`
const ECHOES = `on('svc.shop.echo.created', (event, { call }) => call('svc.shop.echo.create', { data: { depth: event.depth } }))`

for (const store of STORES) {
  describe(`how deep writes are on ${store.name}`, () => {
    const probing = createProbing()
    const scripts = createFolder()
    let server: TestKernel
    let seen: Change[] = []

    beforeAll(async () => {
      scripts.write(ANSWERS, 'answers.js')
      scripts.write(ECHOES, 'echoes.js')
      const config = { scripting: { dir: scripts.path } }
      server = await startTestKernel({ store, plugins: [probing.plugin], definition: DEFINITION, config })
      probing.part = { afterWrite: (change) => void seen.push(change) }
    })
    afterEach(() => {
      seen = []
    })
    afterAll(async () => {
      await server.stop()
      scripts.remove()
    })
    const make = async (path: string, body: object) =>
      (await server.request('POST', `/api/v1/shop/${path}`, { body })).body.data.id as string
    const write = (work: RecordWrite[], options?: { depth: number; origin: string }) => {
      probing.probe = async (data) =>
        data.write(
          { caller: SYSTEM },
          async (writes) => {
            for (const one of work) await writes.record(one)
          },
          options,
        )
      return server.request('POST', '/api/v1/shop/orders/probe', { body: {} })
    }
    const resource = (name: string): Promise<Change['resource']> =>
      new Promise((resolve, reject) => {
        probing.probe = async (data) => resolve(data.model.resources.get(name)!)
        server.request('POST', '/api/v1/shop/orders/probe', { body: {} }).catch(reject)
      })

    it('A9: a write of a client is 0 deep, one of a script one more than the write that set it off', async () => {
      await make('orders', { title: 'one' })
      await expect
        .poll(() => seen.map(({ resource: { name }, depth }) => [name, depth]))
        .toEqual([
          ['Order', 0],
          ['Line', 1],
        ])
      expect(seen.map(({ origin }) => origin)).toEqual([undefined, undefined])
    })

    it('A9: a write of a block is as deep as it says, and names what set it off, with all that it brings about', async () => {
      const order = await make('orders', { title: 'two' })
      await make('lines', { title: 'of it', orderId: order })
      await expect.poll(() => seen).toHaveLength(3)
      seen = []
      const orders = await resource('Order')
      await write([{ kind: 'delete', resource: orders, key: order }], { depth: 5, origin: 'flow 1' })
      expect(seen.map(({ kind, depth, origin, resource: { name } }) => [name, kind, depth, origin])).toEqual([
        ['Line', 'delete', 5, 'flow 1'],
        ['Order', 'delete', 5, 'flow 1'],
      ])
    })

    it('A9: scripts that set each other off end after eight, and the log says why', async () => {
      const heard: unknown[] = []
      const end = server.kernel.bus.on('svc.shop.echo.created', (event) => void heard.push(event))
      const order = await make('orders', { title: 'three' })
      await server.request('PATCH', `/api/v1/shop/orders/${order}`, { body: { title: 'four' } })
      await expect.poll(() => heard).toHaveLength(8)
      const failures = () =>
        server.log.filter(({ event, fields }) => event === 'bus.listener_failed' && 'err' in fields)
      await expect.poll(failures).toHaveLength(1)
      expect(failures()[0]?.fields['err']).toMatchObject({ code: 'SCRIPT_TOO_DEEP' })
      expect(heard).toMatchObject(
        Array.from({ length: 8 }, (_, at) => ({ depth: at + 1, record: { depth: at } })),
      )
      end()
    })

    it('A9: a script counts on from the depth of the write that it hears of', async () => {
      const orders = await resource('Order')
      const order = await make('orders', { title: 'five' })
      const heard: { depth: number }[] = []
      const end = server.kernel.bus.on<string>(
        'svc.shop.echo.created',
        (event) => void heard.push(event as { depth: number }),
      )
      const rename = { kind: 'update', resource: orders, key: order, values: { title: 'six' } } as const
      await write([rename], { depth: 6, origin: 'flow 2' })
      await expect.poll(() => heard.map(({ depth }) => depth)).toEqual([7, 8])
      end()
    })

    it('A9: a write that is too deep is refused with the reason', async () => {
      const orders = await resource('Order')
      const create = { kind: 'create', resource: orders, values: { title: 'x' } } as const
      const answer = await write([create], { depth: 17, origin: 'flow 3' })
      expect(answer.status).toBe(409)
      expect(answer.body).toMatchObject({
        error_code: 'CONFLICT',
        error_message: 'A write has brought about others, 16 deep: Order',
      })
      const call = server.kernel.callAs(SYSTEM, 17)
      await expect(call('svc.shop.order.create', { data: { title: 'x' } })).rejects.toMatchObject({
        code: 'CONFLICT',
      })
    })
  })
}
