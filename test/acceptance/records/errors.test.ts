import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { CUSTOMERS, ORDERS, SHOP } from '../shop.ts'

for (const store of STORES) {
  describe(`refused writes on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    let manager: TestAccount

    beforeAll(async () => {
      manager = await server().account('manager', ['manager'])
    })

    const send = (method: string, path: string, body?: unknown, headers = {}) =>
      server().request(method, path, {
        token: manager.token,
        headers,
        ...(body !== undefined && { body }),
      })
    const rulesOf = ({ errors }: { errors: { field: string; rule: string }[] }) =>
      errors.map(({ field, rule }) => `${field} ${rule}`).sort()

    it('name every fault of a body at once', async () => {
      const { status, body } = await send('POST', ORDERS, {
        number: 0,
        status: 'lost',
        total: 'much',
        code: 'x',
        placedAt: '2026-02-30T00:00:00Z',
        colour: 'red',
      })
      expect([status, body.status, body.code, body.error_code]).toEqual([
        422,
        'error',
        422,
        'VALIDATION_ERROR',
      ])
      expect(rulesOf(body)).toEqual([
        'code pattern',
        'colour unknown',
        'number min',
        'placedAt format',
        'status enum',
        'total type',
      ])
      for (const fault of body.errors) expect(fault.message).toEqual(expect.any(String))
    })

    it.each([
      ['a required field is missing', { email: 'a@example.org' }, 'name required'],
      ['a required field is null', { name: null, email: 'a@example.org' }, 'name required'],
      ['a text is too short', { name: 'A', email: 'a@example.org' }, 'name minLength'],
      ['a text is too long', { name: 'A'.repeat(61), email: 'a@example.org' }, 'name maxLength'],
      ['an email is none', { name: 'Ann', email: 'nobody' }, 'email format'],
      ['a number stands for a text', { name: 5, email: 'a@example.org' }, 'name type'],
      ['a text stands for a boolean', { name: 'Ann', email: 'a@example.org', vip: 'true' }, 'vip type'],
    ])('because %s', async (_, body, rule) => {
      const answer = await send('POST', CUSTOMERS, body)
      expect([answer.status, rulesOf(answer.body)]).toEqual([422, [rule]])
    })

    it('because a body is no object', async () => {
      for (const body of ['[]', '"text"', '7', 'null', 'true']) {
        const answer = await send('POST', CUSTOMERS, body)
        expect([answer.status, answer.body.errors?.[0]?.rule]).toEqual([422, 'type'])
      }
    })

    it.each([
      ['is no JSON', '{"name":', 400, 'BAD_REQUEST'],
      ['is empty', '', 422, 'VALIDATION_ERROR'],
      ['is nested 65 deep', `{"name":${'['.repeat(64)}${']'.repeat(64)}}`, 422, 'VALIDATION_ERROR'],
      ['names a prototype', '{"__proto__":{"admin":true}}', 422, 'VALIDATION_ERROR'],
      ['has a NUL', '{"name":"a\\u0000b"}', 422, 'VALIDATION_ERROR'],
      ['has a lone surrogate', '{"name":"\\ud800"}', 422, 'VALIDATION_ERROR'],
      [
        'is larger than a mebibyte',
        JSON.stringify({ name: 'x'.repeat(1_048_577) }),
        413,
        'PAYLOAD_TOO_LARGE',
      ],
    ])('because the body %s', async (_, body, status, code) => {
      const answer = await send('POST', CUSTOMERS, body)
      expect([answer.status, answer.body.error_code]).toEqual([status, code])
    })

    it('because the body is no JSON by its own word', async () => {
      const { status, body } = await send('POST', CUSTOMERS, 'name=Ann', { 'content-type': 'text/plain' })
      expect([status, body.error_code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    })

    it('because a unique value is taken, on create and on change', async () => {
      const ann = { name: 'Ann', email: 'ann@example.org' }
      await send('POST', CUSTOMERS, ann)
      const twice = await send('POST', CUSTOMERS, ann)
      expect([twice.status, twice.body.error_code]).toEqual([409, 'DUPLICATE'])
      expect(twice.body.error_message).toContain('email')
      const bob = await send('POST', CUSTOMERS, { name: 'Bob', email: 'bob@example.org' })
      const change = await send('PATCH', `${CUSTOMERS}/${bob.body.data.id}`, { email: ann.email })
      expect([change.status, change.body.error_code]).toEqual([409, 'DUPLICATE'])
    })

    it('because one of many writers at once wins a unique value', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => send('POST', CUSTOMERS, { name: 'Cid', email: 'cid@example.org' })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    })

    it('because a field cannot change any more', async () => {
      const { body } = await send('POST', ORDERS, { number: 10, code: 'AB1' })
      const path = `${ORDERS}/${body.data.id}`
      const change = await send('PATCH', path, { code: 'AB2' })
      expect([change.status, rulesOf(change.body)]).toEqual([422, ['code immutable']])
      expect((await send('PATCH', path, { code: 'AB1', note: 'same' })).status).toBe(200)
    })

    it('because a record refers to nothing', async () => {
      const customerId = '0190b3c4-0000-7000-8000-00000000dead'
      const { status, body } = await send('POST', ORDERS, { number: 11, customerId })
      expect([status, rulesOf(body)]).toEqual([422, ['customerId reference']])
    })

    it('because other records refer to this one', async () => {
      const customer = await send('POST', CUSTOMERS, { name: 'Dan', email: 'dan@example.org' })
      const path = `${CUSTOMERS}/${customer.body.data.id}`
      const order = await send('POST', ORDERS, { number: 12, customerId: customer.body.data.id })
      const refused = await send('DELETE', path)
      expect([refused.status, refused.body.error_code]).toEqual([409, 'REFERENCED'])
      await send('DELETE', `${ORDERS}/${order.body.data.id}`)
      expect((await send('DELETE', path)).status).toBe(204)
    })

    it.each(['GET', 'PATCH', 'PUT', 'DELETE'])('because nothing is there for %s', async (method) => {
      for (const id of ['0190b3c4-0000-7000-8000-00000000beef', 'zz', '%00', '1e999', "'--"]) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : { number: 99, note: 'x' }
        const { status, body: answer } = await send(method, `${ORDERS}/${id}`, body)
        expect([id, status, answer.error_code]).toEqual([id, 404, 'NOT_FOUND'])
      }
    })

    it('leave nothing behind', async () => {
      const before = await send('GET', `${ORDERS}/count`)
      await send('POST', ORDERS, { number: 10 })
      await send('POST', ORDERS, { number: -1 })
      expect((await send('GET', `${ORDERS}/count`)).body.data).toEqual(before.body.data)
    })

    it('carry the id of the request', async () => {
      const { headers } = await send('POST', ORDERS, { number: -1 })
      expect(headers.get('x-request-id')).toMatch(/\S/)
    })
  })
}
