import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { chores } from './chores.ts'
import { office } from './office.ts'

const ORDERS = '/api/v1/office/orders'
const noop = { action: 'noop' }
const resource = 'Order'

const CHORES = {
  created: { ...noop, when: { resource, event: 'create' } },
  updated: { ...noop, when: { resource, event: 'update' } },
  repriced: { ...noop, when: { resource, event: 'update', fields: ['total', 'margin'] } },
  noted: { ...noop, when: { resource, event: 'fieldChange', field: 'note' } },
  moved: { ...noop, when: { resource, event: 'transition' } },
  closed: { ...noop, when: { resource, event: 'transition', transition: ['close', 'file'] } },
  deleted: { ...noop, when: { resource, event: 'delete' } },
  restored: { ...noop, when: { resource, event: 'restore' } },
  dear: { ...noop, when: { resource, event: 'update', condition: 'total > 10 and previous.total <= 10' } },
  reopened: { ...noop, when: { resource, event: 'update', condition: "$transition == 'reopen'" } },
}

for (const store of STORES) {
  describe(`triggers on ${store.name}`, () => {
    const server = useTestKernel({ store, plugins: [chores], definition: office(CHORES) })
    const token = () => server().admin

    /** What heard of the changes that `work` makes. */
    const heard = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      server().clock.advance(1000)
      const after = new Date(server().clock.now() - 1).toISOString()
      await work()
      const { body } = await server().request('GET', `/api/v1/office/chores/log?after=${after}`, {
        token: token(),
      })
      return body.data.items.map(({ chore }: { chore: string }) => chore).toSorted()
    }
    const send = async (method: string, path: string, body?: object) => {
      const answer = await server().request(method, `${ORDERS}${path}`, {
        token: token(),
        ...(body && { body }),
      })
      expect(answer.status).toBeLessThan(300)
      return answer.body?.data
    }
    const order = async (more: object = {}) => (await send('POST', '', { title: 'One', ...more })).id

    it('[8.6] hear a create, and nothing else', async () => {
      expect(await heard(() => order())).toEqual(['created'])
      const rows = { items: [{ title: 'a' }, { title: 'b' }] }
      expect(await heard(() => send('POST', '/bulk', rows))).toEqual(['created', 'created'])
    })

    it('[8.6] hear an update by PATCH, PUT, bulk and upsert, and narrow it to fields whose value changes', async () => {
      const id = await order({ total: 3 })
      expect(await heard(() => send('PATCH', `/${id}`, { dueOn: '2026-01-01' }))).toEqual(['updated'])
      expect(await heard(() => send('PATCH', `/${id}`, { total: 3 }))).toEqual(['updated'])
      expect(await heard(() => send('PATCH', `/${id}`, { total: 4 }))).toEqual(['repriced', 'updated'])
      expect(await heard(() => send('PUT', `/${id}`, { title: 'x', total: 5 }))).toEqual([
        'repriced',
        'updated',
      ])
    })

    it('[8.6] hear a change of one field', async () => {
      const id = await order({ note: 'a' })
      expect(await heard(() => send('PATCH', `/${id}`, { note: 'a' }))).toEqual(['updated'])
      expect(await heard(() => send('PATCH', `/${id}`, { note: null }))).toEqual(['noted', 'updated'])
    })

    it('[8.6] hear transitions, by name or any; they are updates too', async () => {
      const id = await order()
      expect(await heard(() => transition(id, 'close'))).toEqual(['closed', 'moved', 'updated'])
      expect(await heard(() => transition(id, 'reopen'))).toEqual(['moved', 'reopened', 'updated'])
    })

    const transition = async (id: string, name: string) => {
      const path = `${ORDERS}/${id}/transitions/${name}`
      const { status } = await server().request('POST', path, { token: await bossToken(), body: {} })
      expect(status).toBe(200)
    }
    let boss: Promise<string> | undefined
    const bossToken = () =>
      (boss ??= server()
        .account('boss', ['boss'])
        .then(({ token: made }) => made))

    it('[8.6] hear a delete and a restore, which is an update too', async () => {
      const id = await order()
      expect(await heard(() => send('DELETE', `/${id}`))).toEqual(['deleted'])
      expect(await heard(() => send('POST', `/${id}/restore`))).toEqual(['restored', 'updated'])
    })

    it('A3: conditions know the record as the write left it, previous and $transition', async () => {
      const id = await order({ total: 9 })
      expect(await heard(() => send('PATCH', `/${id}`, { total: 11 }))).toContain('dear')
      expect(await heard(() => send('PATCH', `/${id}`, { total: 12 }))).not.toContain('dear')
    })
  })
}

describe('what is wrong with a trigger', () => {
  const server = useTestKernel({ store: STORES[0]!, plugins: [chores], definition: office({}) })

  it.each([
    [{ resource: 'Ordr', event: 'create' }, 'resource', "Did you mean 'Order'?"],
    [{ event: 'create' }, 'resource', 'is missing'],
    [{ resource, event: 'creat' }, 'event', "Did you mean 'create'?"],
    [{ resource, event: 'create', fields: ['total'] }, 'fields', "means nothing without 'event: update'"],
    [{ resource, event: 'update', fields: ['totl'] }, 'fields.0', "Did you mean 'total'?"],
    [{ resource, event: 'update', fields: [] }, 'fields', 'must not be empty'],
    [{ resource, event: 'update', fields: ['doubled'] }, 'fields.0', 'worked out'],
    [{ resource, event: 'update', field: 'total' }, 'field', "means nothing without 'event: fieldChange'"],
    [{ resource, event: 'fieldChange' }, 'field', 'is missing'],
    [{ resource, event: 'create', transition: 'close' }, 'transition', "without 'event: transition'"],
    [{ resource, event: 'transition', transition: 'clsoe' }, 'transition', "Did you mean 'close'?"],
    [{ resource, event: 'transition', transition: ['close', 'no'] }, 'transition.1', "no transition 'no'"],
    [{ resource: 'Letter', event: 'transition', transition: 'close' }, 'transition', 'no states'],
    [{ resource, condition: 'total > 1' }, 'condition', "means nothing without 'event'"],
    [{ resource, event: 'create', condition: 'totl > 1' }, 'condition', 'totl'],
    [{ resource, event: 'create', condition: '$nobody > 1' }, 'condition', 'nobody'],
  ])('A1, W1: %j is PARSE_ERROR with line and hint', async (when, path, words) => {
    const { status, body } = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: office({ it: { ...noop, when } }, '2') },
    })
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    expect(body.errors[0].path).toBe(`domain.chores.it.when.${path}`)
    expect(body.errors[0].line).toBeGreaterThan(0)
    expect(body.errors[0].message).toContain(words)
  })

  it.each([
    ['9lives', 'is no name'],
    ['with space', 'is no name'],
    ['log', 'is taken'],
    ['instances', 'is taken'],
    ['firings', 'is taken'],
    ['x'.repeat(64), 'is no name'],
  ])('A1: the name %s is PARSE_ERROR', async (name, words) => {
    const { body } = await server().request('POST', '/api/v1/domains', {
      token: server().admin,
      body: { content: office({ [name]: noop }, '2') },
    })
    expect(body).toMatchObject({
      error_code: 'PARSE_ERROR',
      errors: [{ path: expect.stringContaining('domain.chores.'), message: expect.stringContaining(words) }],
    })
  })
})
