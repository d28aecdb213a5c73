import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { useTestKernel } from '../../../test/kit/test-kernel.ts'

const definition = (events: object, version = '1.0.0', more = {}) =>
  JSON.stringify({
    domain: {
      name: 'shop',
      version,
      resources: {
        Order: {
          object: {
            problem: { type: 'string', required: true },
            estimate: 'money',
            margin: 'decimal',
            tags: { type: 'set', items: 'string' },
            priority: { type: 'string', default: 'normal' },
            promisedOn: 'date',
            status: 'string',
            double: { type: 'decimal', computed: 'estimate * 2' },
            userId: 'uuid',
            secret: 'password',
            deletedAt: 'datetime',
          },
          features: { versioning: true, softDelete: true },
          stateMachine: {
            field: 'status',
            initial: 'received',
            states: {
              received: { transitions: { quote: { to: 'quoted' } } },
              quoted: { transitions: { approve: { to: 'approved' } } },
              approved: { final: true },
            },
          },
          permissions: {
            list: ['owner', 'staff'],
            get: ['owner', 'staff'],
            create: ['authenticated'],
            update: ['authenticated'],
            delete: ['authenticated'],
            fields: { margin: { read: ['boss'] } },
          },
          history: { events },
          ...more,
        },
      },
    },
  })

const EVENTS = {
  bookedIn: {
    on: 'create',
    label: 'Booked in: {problem} {unknown}',
    capture: ['problem', 'tags'],
    icon: 'x:y',
  },
  quoted: {
    on: 'transition',
    transition: 'quote',
    label: 'From {from} to {to} over {estimate} by {user.name}',
    detail: 'Twice is {double}; {user.email}',
    capture: ['estimate', 'double'],
    severity: 'success',
    snapshot: true,
  },
  priority: {
    on: 'fieldChange',
    field: 'priority',
    label: { en: '{previousValue} became {newValue}', de: '{previousValue} wurde {newValue}' },
    roles: ['staff'],
  },
  mine: { on: 'fieldChange', field: 'problem', label: 'New problem', roles: ['owner'] },
  margin: {
    on: 'fieldChange',
    field: 'margin',
    label: 'Margin {newValue} for {problem}',
    capture: ['problem'],
  },
  moved: {
    on: 'update',
    fields: ['promisedOn'],
    capture: ['promisedOn'],
    label: 'Now {promisedOn}',
    condition: 'promisedOn != null and previous.promisedOn != promisedOn',
  },
  removed: { on: 'delete', label: 'Gone: {problem}', capture: ['problem'] },
  back: { on: 'restore', label: 'Back' },
}
const ORDERS = '/api/v1/shop/orders'

for (const store of STORES) {
  describe(`the timeline on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: definition(EVENTS) })
    const tokens = new Map<string, string>()
    const as = async (name: string, ...roles: string[]) => {
      const token = tokens.get(name) ?? (await server().account(name, roles)).token
      tokens.set(name, token)
      return token
    }
    const send = async (method: string, path: string, body?: unknown, token?: string, headers = {}) =>
      server().request(method, `${ORDERS}${path}`, {
        token: token ?? (await as('sue', 'staff', 'boss')),
        headers,
        ...(body !== undefined && { body }),
      })
    const made = async (body: object, token?: string): Promise<string> =>
      (await send('POST', '', body, token)).body.data.id
    const items = async (path: string, token?: string, headers = {}) =>
      (await send('GET', path, undefined, token, headers)).body.data.items
    const labels = async (path: string, token?: string) =>
      (await items(path, token)).map(({ label }: { label: string }) => label)

    it('tells what happened to a record, with values put into its texts', async () => {
      const id = await made({ problem: 'flat tyre', tags: ['a', 'b'] })
      server().clock.advance(1000)
      await send('PATCH', `/${id}`, { estimate: 45.5 })
      await send('POST', `/${id}/transitions/quote`, {})
      const [quoted, booked] = await items(`/${id}/history`)
      expect(booked).toEqual({
        id: expect.any(String),
        recordId: id,
        event: 'bookedIn',
        label: 'Booked in: flat tyre ',
        detail: '',
        icon: 'x:y',
        severity: 'info',
        actor: { id: expect.any(String), username: 'sue' },
        timestamp: '2026-03-01T12:00:00.000Z',
        data: { problem: 'flat tyre', tags: ['a', 'b'], actorId: expect.any(String), actorName: 'sue' },
        version: null,
      })
      expect(quoted).toMatchObject({
        label: 'From received to quoted over 45.5 by sue',
        detail: 'Twice is 91; sue@example.org',
        severity: 'success',
        data: { from: 'received', to: 'quoted', estimate: 45.5, double: 91 },
        version: 2,
      })
    })

    it('hears of a transition by PATCH, of bulk writes, deletes and restores', async () => {
      const id = await made({ problem: 'p' })
      await send('PATCH', '/bulk', { ids: [id], data: { status: 'quoted', priority: 'high' } })
      await send('DELETE', `/${id}`)
      await send('POST', `/${id}/restore`)
      expect(await labels(`/${id}/history`)).toEqual([
        'Back',
        'Gone: p',
        'normal became high',
        'From received to quoted over  by sue',
        'Booked in: p ',
      ])
    })

    it('keeps an event whose condition holds, and no other', async () => {
      const id = await made({ problem: 'p' })
      await send('PATCH', `/${id}`, { promisedOn: '2026-04-01' })
      await send('PATCH', `/${id}`, { promisedOn: '2026-04-01', priority: 'normal' })
      await send('PATCH', `/${id}`, { promisedOn: null })
      expect(await labels(`/${id}/history?event=moved`)).toEqual(['Now 2026-04-01'])
    })

    it('shows each caller what the roles of an event and the fields behind it allow', async () => {
      const olga = await as('olga')
      const id = await made({ problem: 'p' }, olga)
      await send('PATCH', `/${id}`, { margin: 12.5, priority: 'high', problem: 'q' })
      expect(await labels(`/${id}/history`)).toEqual([
        'Margin 12.5 for q',
        'normal became high',
        'Booked in: p ',
      ])
      const shown = await items(`/${id}/history`, olga)
      expect(shown.map(({ label }: { label: string }) => label)).toEqual([
        'Margin  for q',
        'New problem',
        'Booked in: p ',
      ])
      expect(shown[0].data).toEqual({ problem: 'q', actorId: expect.any(String), actorName: 'sue' })
      expect(await labels('/history', olga)).toEqual(['Margin  for q', 'New problem', 'Booked in: p '])
      expect((await send('GET', `/${id}/history`, undefined, await as('eve'))).status).toBe(403)
      expect(await labels('/history', await as('eve'))).toEqual([])
    })

    it('is told in the language of the reader where there are several', async () => {
      const id = await made({ problem: 'p' })
      await send('PATCH', `/${id}`, { priority: 'high' })
      const german = await items(`/${id}/history`, undefined, { 'accept-language': 'de-AT' })
      expect(german[0].label).toBe('normal wurde high')
    })

    it('comes in pages, the newest first, of all records together too', async () => {
      const id = await made({ problem: 'x' })
      for (const priority of ['a', 'b', 'c']) await send('PATCH', `/${id}`, { priority })
      const page = (await send('GET', `/${id}/history?limit=2&page=2`)).body.data
      expect(page).toMatchObject({ count: 2, totalCount: 4, meta: { page: 2, total_pages: 2 } })
      expect((await labels(`/${id}/history?limit=1&offset=3`))[0]).toBe('Booked in: x ')
      expect((await items('/history?limit=1'))[0]).toMatchObject({ recordId: id, data: { newValue: 'c' } })
      expect(await labels('/history?event=nothing')).toEqual([])
      expect((await send('GET', '/history?event=%00')).status).toBeLessThan(500)
      expect((await send('GET', '/never/history')).status).toBe(404)
    })

    it('tells the bus of each entry once the write is kept', async () => {
      const heard: unknown[] = []
      const stop = server().kernel.bus.on(
        'svc.shop.order.history.*',
        (event, name) => void heard.push([name, event]),
      )
      const id = await made({ problem: 'p', secret: 'Correct-horse-7' })
      await send('POST', '', {})
      stop()
      expect(heard).toMatchObject([
        [
          'svc.shop.order.history.bookedIn',
          {
            id,
            domain: 'shop',
            resource: 'Order',
            event: 'bookedIn',
            record: { problem: 'p' },
            entry: { label: 'Booked in: p ' },
          },
        ],
      ])
      expect(JSON.stringify(heard)).not.toContain('argon2')
    })

    it('is described to clients by the schema', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/shop/schema')
      expect(body.data.resources.Order.history.events.quoted).toMatchObject({
        on: 'transition',
        severity: 'success',
      })
    })

    it('keeps what was open of an event that is declared no more, and follows its resource to a new name', async () => {
      const id = await made({ problem: 'p' })
      await send('PATCH', `/${id}`, { priority: 'high' })
      const text = definition({ late: { on: 'create', label: 'Late' } }, '2.0.0', { renamedFrom: 'Order' })
      await server().submit(text.replace('"Order":', '"Repair":'))
      const token = await as('sue', 'staff', 'boss')
      const read = (path: string) => server().request('GET', `/api/v1/shop/repairs${path}`, { token })
      const { body } = await read(`/${id}/history`)
      expect(body.data.items.map(({ event }: { event: string }) => event)).toEqual(['bookedIn'])
      expect((await read(`/${id}/versions`)).body.data.items).toHaveLength(1)
    })
  })
}

describe('the definition of a timeline', () => {
  const server = useTestKernel({ store: STORES[0]! })
  const submit = async (content: string) =>
    server().request('POST', '/api/v1/domains', { token: server().admin, body: { content } })

  it('is refused with every mistake and its place', async () => {
    const { status, body } = await submit(
      definition({
        a: { on: 'transition', label: 'x' },
        b: { on: 'transition', transition: 'quot', label: 'x' },
        c: { on: 'fieldChange', label: 'x' },
        d: { on: 'fieldChange', field: 'double', label: 'x' },
        e: { on: 'update', fields: ['problm'], label: 'x' },
        f: { on: 'create', capture: ['secret'], label: 'x' },
        g: { on: 'create', condition: 'nosuch > 1', label: 'x' },
        'h h': { on: 'create', label: 'x' },
      }),
    )
    expect(status).toBe(422)
    const paths = body.errors.map(({ path }: { path: string }) =>
      path.replace('domain.resources.Order.history.events.', ''),
    )
    expect(paths.toSorted()).toEqual(
      ['a', 'b.transition', 'c', 'd.field', 'e.fields.0', 'f.capture.0', 'g.condition', 'h h'].toSorted(),
    )
  })

  it('is refused where it breaks the language, with the line', async () => {
    const { status, body } = await submit(
      definition({ a: { on: 'someday', label: 'x' }, b: { on: 'create' } }),
    )
    expect(status).toBe(422)
    expect(body.errors).toHaveLength(2)
    expect(body.errors[0]).toMatchObject({ path: 'domain.resources.Order.history.events.a.on', line: 1 })
  })

  it('warns of what stays empty or means nothing', async () => {
    const { status, body } = await submit(
      definition({ a: { on: 'create', label: '{problem}', field: 'problem' } }, '1.0.0', {
        audit: { track: ['problem'] },
      }),
    )
    expect(status).toBe(201)
    const told = body.warnings.map(({ message }: { message: string }) => message).join('\n')
    expect(told).toContain("'{problem}' stays empty")
    expect(told).toContain("means something for 'on: fieldChange' alone")
    expect(told).toContain("means nothing without 'audit: true'")
  })

  it('warns of placeholders in two braces, and of names that are hardly those of roles', async () => {
    const { body } = await submit(
      definition({
        a: { on: 'create', label: '{{problem}} and {{user.name}}, {{x}}', roles: ['onwer'] },
        b: { on: 'create', label: '{{{problem}}}', capture: ['problem'] },
      }),
    )
    expect(body.warnings.map(({ message }: any) => message)).toEqual([
      expect.stringContaining(
        "a.label: '{{problem}}' writes braces, and no value (write {problem} for the value)",
      ),
      expect.stringContaining("a.roles.0: 'onwer' is taken for the name of a role"),
    ])
  })
})
