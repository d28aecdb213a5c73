import { definePlugin, type Plugin, SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { CUSTOMERS, ORDERS, SHOP } from '../shop.ts'

const TRACER = new URL('../../fixtures/third-party-plugin/tracer.js', import.meta.url).href
const { plugin: tracer } = (await import(TRACER)) as { readonly plugin: Plugin }

/** What the fixture logs of a part. */
interface Span {
  readonly span: number
  readonly parent: number | undefined
  readonly name: string
  readonly facts: Readonly<Record<string, string | number>>
}

/** A part as text, with the parts inside it. */
type Tree = string | { readonly [name: string]: readonly Tree[] }

/** The parts that are logged from now on. */
function recording({ log }: TestKernel): () => readonly Span[] {
  const { length } = log
  return () =>
    log
      .slice(length)
      .flatMap(({ event, fields }) => (event === 'span.ended' ? [fields as unknown as Span] : []))
      .toSorted((a, b) => a.span - b.span)
}

const title = ({ name, facts: { operation, table } }: Span): string =>
  operation === undefined ? name : `${name} ${operation} ${table}`

function treeOf(span: Span, all: readonly Span[]): Tree {
  const inside = all.filter(({ parent }) => parent === span.span)
  return inside.length === 0 ? title(span) : { [title(span)]: inside.map((one) => treeOf(one, all)) }
}

/** The parts below the requests of one action. */
const requests = (all: readonly Span[], action: string): readonly Tree[] =>
  all
    .filter(({ name, facts }) => name === 'request' && facts['action'] === action)
    .map((root) => treeOf(root, all))

const BEFORE = ['step.rateLimit', 'step.validate', 'step.enabled', 'step.authenticate', 'step.authorize']

/** A request whose handler is made of these parts. */
const request = (action: string, parts: readonly Tree[]): Tree => ({
  request: [...BEFORE, 'step.audit', { 'step.handle': [{ [`action.${action}`]: parts }] }, 'step.respond'],
})

for (const store of STORES) {
  describe(`what is observed of a server on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP, plugins: [tracer] })
    const customer = (name: string) =>
      server().request('POST', CUSTOMERS, {
        token: server().admin,
        body: { name, email: `${name.replaceAll(' ', '')}@example.org` },
      })
    const created = request('svc.shop.customer.create', [
      { transaction: ['statement append shop__events', 'statement insert shop_customer'] },
    ])

    it('is a tree of a request, its steps, its action and its statements', async () => {
      const spans = recording(server())
      expect((await server().request('GET', CUSTOMERS)).status).toBe(200)
      expect(requests(spans(), 'svc.shop.customer.list')).toEqual([
        request('svc.shop.customer.list', ['statement select shop_customer']),
      ])
    })

    it('has the statements of a write inside its transaction', async () => {
      // The first write of a server asks who hears of writes.
      expect((await customer('First')).status).toBe(201)
      const spans = recording(server())
      expect((await customer('Ann')).status).toBe(201)
      expect(requests(spans(), 'svc.shop.customer.create')).toEqual([created])
    })

    it('has the parts of every request below that request, however many run at once', async () => {
      const spans = recording(server())
      const names = Array.from({ length: 20 }, (_, at) => `Guest ${at}`)
      const answers = await Promise.all(names.map(customer))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
      expect(requests(spans(), 'svc.shop.customer.create')).toEqual(names.map(() => created))
    })

    it('begins with the action where the process calls itself', async () => {
      const spans = recording(server())
      await server().kernel.callAs(SYSTEM)('svc.shop.customer.list', {})
      const root = spans().find(({ name }) => name === 'action.svc.shop.customer.list')
      expect(root?.parent).toBeUndefined()
      expect(treeOf(root!, spans())).toEqual({
        'action.svc.shop.customer.list': ['statement select shop_customer'],
      })
    })

    it('ends where a step refuses, and tells of the trace that the sender is in', async () => {
      const spans = recording(server())
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const { status, headers } = await server().request('POST', ORDERS, {
        body: {},
        headers: { traceparent },
      })
      expect(status).toBe(401)
      expect(requests(spans(), 'svc.shop.order.create')).toEqual([{ request: BEFORE }])
      expect(spans().find(({ name }) => name === 'request')?.facts).toEqual({
        action: 'svc.shop.order.create',
        requestId: headers.get('x-request-id'),
        transport: 'rest',
        traceparent,
      })
    })
  })
}

describe('spans', () => {
  const observing = (name: string) =>
    definePlugin({ name, phase: 'domain', setup: ({ spans }) => spans.observe((_, __, work) => work()) })

  it('are observed by one plugin: a second one ends the start', async () => {
    const started = startTestKernel({ store: STORES[0]!, plugins: [observing('first'), observing('second')] })
    await expect(started).rejects.toThrow(/second: the spans are observed already/)
  })

  it('cost a request nothing where their observer fails, before, after or instead of the work', async () => {
    const failing = definePlugin({
      name: 'failing',
      phase: 'domain',
      setup: ({ spans }) =>
        spans.observe((name, _, work) => {
          if (name === 'request') throw new Error('before')
          const done = work()
          if (name.startsWith('step.')) throw new Error('after')
          return done instanceof Promise
            ? (done.then(() => Promise.reject(new Error('late'))) as typeof done)
            : done
        }),
    })
    const server = await startTestKernel({ store: STORES[0]!, plugins: [failing], definition: SHOP })
    const body = { name: 'Ann', email: 'ann@example.org' }
    const { status } = await server.request('POST', CUSTOMERS, { token: server.admin, body })
    const refused = await server.request('POST', CUSTOMERS, { body })
    await server.stop()
    expect([status, refused.status]).toEqual([201, 401])
  })

  it('may be named by plugins, and are nothing but their work where nobody observes', async () => {
    const worker = definePlugin({
      name: 'worker',
      phase: 'domain',
      setup: ({ spans, actions }) =>
        actions.add({
          name: 'worker.work',
          access: [],
          handle: () => spans.run('thumbnail', { width: 64 }, () => 'done'),
        }),
    })
    for (const plugins of [[worker], [worker, tracer]]) {
      const server = await startTestKernel({ store: STORES[0]!, plugins })
      const spans = recording(server)
      expect(await server.kernel.callAs(SYSTEM)('worker.work', {})).toBe('done')
      expect(spans().map(({ name }) => name)).toEqual(
        plugins.includes(tracer) ? ['action.worker.work', 'thumbnail'] : [],
      )
      await server.stop()
    }
  })
})
