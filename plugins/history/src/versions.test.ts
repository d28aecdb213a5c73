import { describe, expect, it } from 'vitest'
import { STORES } from '../../../test/kit/stores.ts'
import { useTestKernel } from '../../../test/kit/test-kernel.ts'

const definition = (version: string, price: object, more = {}) =>
  JSON.stringify({
    domain: {
      name: 'shop',
      version,
      resources: {
        Part: {
          object: {
            name: { type: 'string', required: true },
            sku: { type: 'string', immutable: true },
            price,
            cost: 'decimal',
            secret: 'password',
            specs: 'json',
            status: { type: 'string', enum: ['draft', 'live', 'gone'] },
            label: { type: 'string', computed: "name + '!'" },
            stored: { type: 'string', computed: { expression: 'upper(name)', stored: true } },
            createdAt: { type: 'datetime', autoNow: 'create' },
            updatedAt: { type: 'datetime', autoNow: 'update' },
            userId: 'uuid',
            deletedAt: 'datetime',
            ...more,
          },
          features: { versioning: true, softDelete: true },
          stateMachine: {
            field: 'status',
            initial: 'draft',
            states: {
              draft: { transitions: { publish: { to: 'live' } } },
              live: { transitions: { retire: { to: 'gone' } } },
              gone: { final: true },
            },
          },
          permissions: {
            list: ['*'],
            get: ['*'],
            create: ['authenticated'],
            update: ['editor'],
            delete: ['editor'],
            fields: { cost: { read: ['editor'], write: ['boss'] }, name: { write: ['editor'] } },
          },
        },
        Plain: { object: { a: 'string' }, permissions: { get: ['*'], create: ['*'] } },
      },
    },
  })
const PARTS = '/api/v1/shop/parts'

for (const store of STORES) {
  describe(`versions on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: definition('1.0.0', { type: 'decimal' }) })
    const tokens = new Map<string, string>()
    const as = async (name: string, ...roles: string[]) => {
      const token = tokens.get(name) ?? (await server().account(name, roles)).token
      tokens.set(name, token)
      return token
    }
    const send = async (method: string, path: string, body?: unknown, token?: string, headers = {}) =>
      server().request(method, `${PARTS}${path}`, {
        token: token ?? (await as('boss', 'editor', 'boss')),
        headers,
        ...(body !== undefined && { body }),
      })
    const made = async (body: object): Promise<{ id: string }> => (await send('POST', '', body)).body.data
    const versions = async (id: string, token?: string) =>
      (await send('GET', `/${id}/versions`, undefined, token)).body.data.items

    it('keep the record as it was before every change, and none of a new record', async () => {
      const created = await made({ name: 'a', price: 1, secret: 'Correct-horse-7', specs: { b: 1, a: [1] } })
      const { id } = created
      expect(await versions(id)).toEqual([])
      const first = (await send('GET', `/${id}`)).body.data
      await send('PATCH', `/${id}`, { name: 'b' })
      const second = (await send('GET', `/${id}`)).body.data
      await send('POST', `/${id}/transitions/publish`, {})
      await send('PUT', `/${id}`, { name: 'c' })
      await send('PATCH', '/bulk', { ids: [id], data: { name: 'd' } })
      const kept = await versions(id)
      expect(kept.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1])
      expect(kept[3].data).toEqual(first)
      expect(kept[2].data).toEqual(second)
      expect(kept[1].data).toMatchObject({ name: 'b', status: 'live' })
      expect(kept[3]).toMatchObject({
        recordId: id,
        userId: expect.any(String),
        createdAt: '2026-03-01T12:00:00.000Z',
      })
      expect(JSON.stringify(kept)).not.toContain('argon2')
    })

    it('can be gone back to, which keeps the state before as a version of its own', async () => {
      const { id } = await made({ name: 'a', price: 1, cost: 2, sku: 'S1', specs: { deep: { b: 2, a: 1 } } })
      const before = (await send('GET', `/${id}`)).body.data
      await send('PATCH', `/${id}`, { name: 'b', price: 9, specs: null })
      await send('POST', `/${id}/transitions/publish`, {})
      server().clock.advance(1000)
      const reverted = await send('POST', `/${id}/revert`, { version: 1 })
      expect(reverted.status).toBe(200)
      expect(reverted.headers.get('etag')).toMatch(/^"/)
      expect(reverted.body.data).toEqual({ ...before, status: 'live', updatedAt: expect.any(String) })
      // No transition leads from live to draft: values go back, the state does not.
      expect(reverted.body.warnings[0]).toMatchObject({ rule: 'ignored' })
      expect(reverted.body.data.updatedAt).not.toBe(before.updatedAt)
      const kept = await versions(id)
      expect(kept).toHaveLength(3)
      expect(kept[0].data).toMatchObject({ name: 'b', price: 9, status: 'live', stored: 'B' })
      await send('POST', `/${id}/revert`, { version: 3 })
      expect((await send('GET', `/${id}`)).body.data).toMatchObject({ name: 'b', price: 9, status: 'live' })
      expect(await versions(id)).toHaveLength(4)
    })

    it('are refused where they are not there, or not asked for properly', async () => {
      const { id } = await made({ name: 'a' })
      await send('PATCH', `/${id}`, { name: 'b' })
      const refusal = async (body: unknown, path = id) => {
        const answer = await send('POST', `/${path}/revert`, body)
        return [answer.status, answer.body.errors?.[0]?.rule ?? answer.body.error_code]
      }
      expect(await refusal({ version: 2 })).toEqual([404, 'NOT_FOUND'])
      expect(await refusal({ version: 1 }, '0190b3c4-0000-7000-8000-000000000001')).toEqual([
        404,
        'NOT_FOUND',
      ])
      expect(await refusal({ version: 1 }, 'nonsense')).toEqual([404, 'NOT_FOUND'])
      expect(await refusal({})).toEqual([422, 'required'])
      expect(await refusal({ version: '1' })).toEqual([422, 'type'])
      expect(await refusal({ version: 1.5 })).toEqual([422, 'type'])
      expect(await refusal({ version: 0 })).toEqual([422, 'min'])
      expect(await refusal({ version: 1, name: 'x' })).toEqual([422, 'unknown'])
      expect(await refusal([1])).toEqual([422, 'type'])
      expect((await versions(id)).length).toBe(1)
    })

    it('go by the permission to update, and by If-Match', async () => {
      const { id } = await made({ name: 'a' })
      const changed = await send('PATCH', `/${id}`, { name: 'b' })
      const stranger = await as('stranger')
      expect((await send('POST', `/${id}/revert`, { version: 1 }, stranger)).status).toBe(403)
      expect((await server().request('POST', `${PARTS}/${id}/revert`, { body: { version: 1 } })).status).toBe(
        401,
      )
      const revert = (tag: string) =>
        send('POST', `/${id}/revert`, { version: 1 }, undefined, { 'if-match': tag })
      expect((await revert('"x-y"')).status).toBe(412)
      expect((await revert(changed.headers.get('etag')!)).status).toBe(200)
    })

    it('hide what the caller may not read, and go back over no field that the caller may not write', async () => {
      const { id } = await made({ name: 'a', cost: 5 })
      await send('PATCH', `/${id}`, { name: 'b', cost: 6 })
      const [kept] = await versions(id, await as('stranger'))
      expect(kept.data).toMatchObject({ name: 'a' })
      expect(kept.data).not.toHaveProperty('cost')
      const answer = await send('POST', `/${id}/revert`, { version: 1 }, await as('editor', 'editor'))
      expect(answer.body.data).toMatchObject({ name: 'a', cost: 6 })
      expect(answer.body.warnings).toMatchObject([{ rule: 'ignored' }])
    })

    it('count on through a restore, and are repeated for one Idempotency-Key', async () => {
      const { id } = await made({ name: 'a' })
      await send('DELETE', `/${id}`)
      expect((await send('POST', `/${id}/restore`)).status).toBe(200)
      expect(await versions(id)).toMatchObject([{ version: 1, data: { name: 'a' } }])
      await send('PATCH', `/${id}`, { name: 'b' })
      const revert = () =>
        send('POST', `/${id}/revert`, { version: 2 }, undefined, { 'idempotency-key': `k${id}` })
      const [once, again] = [await revert(), await revert()]
      expect([once.status, again.status]).toEqual([200, 200])
      expect(again.body.data).toEqual(once.body.data)
      expect(await versions(id)).toHaveLength(3)
    })

    it('are numbered without gaps by writers at once', async () => {
      const { id } = await made({ name: 'a' })
      const writes = Array.from({ length: 10 }, (_, at) => send('PATCH', `/${id}`, { name: `n${at}` }))
      expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(10).fill(200))
      const numbers = (await versions(id)).map(({ version }: { version: number }) => version)
      expect(numbers).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    })

    it('are not there without the feature', async () => {
      expect((await server().request('GET', '/api/v1/shop/plains/x/versions')).status).toBe(404)
    })

    it('follow a field that gets another name, and leave out one that is gone', async () => {
      const { id } = await made({ name: 'a', price: 7, specs: { a: 1 } })
      await send('PATCH', `/${id}`, { price: 8 })
      const next = definition(
        '2.0.0',
        { type: 'decimal' },
        { price: undefined, amount: { type: 'decimal', renamedFrom: 'price' } },
      )
      await server().submit(next, { allow_destructive: true })
      expect((await versions(id))[0].data).toMatchObject({ amount: 7 })
      const { body } = await send('POST', `/${id}/revert`, { version: 1 })
      expect(body.data).toMatchObject({ amount: 7, name: 'a' })

      const renamed = (fields: object) =>
        server().submit(definition('3.0.0', { type: 'decimal' }, { price: undefined, ...fields }), {
          allow_destructive: true,
        })
      const oldest = async () => (await versions(id)).at(-1).data
      await renamed({ amount: { type: 'decimal' } })
      expect(await oldest()).toMatchObject({ amount: 7 })
      await renamed({ sum: { type: 'decimal', renamedFrom: 'amount' } })
      expect(await oldest()).toMatchObject({ sum: 7 })
      const back = await server().request('POST', '/api/v1/domains/shop/rollback', {
        token: server().admin,
        body: {},
      })
      expect([back.status, await oldest()]).toMatchObject([200, { amount: 7 }])
    })
  })
}
