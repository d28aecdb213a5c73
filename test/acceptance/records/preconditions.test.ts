import { beforeEach, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'

for (const store of STORES) {
  describe(`entity tags on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHOP })
    let number = 0
    let path = ''
    let tag = ''

    beforeEach(async () => {
      number += 1
      const { body, headers } = await send('POST', ORDERS, { body: { number } })
      path = `${ORDERS}/${body.data.id}`
      tag = headers.get('etag')!
    })

    const send = (method: string, to: string, more: object = {}, token = server().admin) =>
      server().request(method, to, { token, ...more })
    const outcome = async (method: string, more: object = {}) => {
      const { status, body } = await send(method, path, more)
      return [status, body?.error_code]
    }

    it('are strong, the same for all answers of one version, and new with every write', async () => {
      expect(tag).toMatch(/^"[^"]+"$/)
      expect((await send('GET', path)).headers.get('etag')).toBe(tag)
      const changed = await send('PATCH', path, { body: {} })
      expect(changed.headers.get('etag')).not.toBe(tag)
      expect((await send('GET', path)).headers.get('etag')).toBe(changed.headers.get('etag'))
    })

    it('spare a client what it knows already', async () => {
      for (const known of [tag, `"x", ${tag}`, `W/${tag}`, '*']) {
        const { status, body, headers } = await send('GET', path, { headers: { 'if-none-match': known } })
        expect([known, status, body, headers.get('etag')]).toEqual([known, 304, undefined, tag])
      }
      expect((await send('GET', path, { headers: { 'if-none-match': '"old"' } })).status).toBe(200)
    })

    it('differ where a formula that no column holds is another (spec 2.8)', async () => {
      const doubled = (factor: number) =>
        JSON.stringify({
          domain: {
            name: 'sums',
            version: '1',
            resources: {
              Sum: {
                object: { n: 'integer' },
                computed: {
                  more: { type: 'integer', expression: `n * ${factor}` },
                  most: { type: 'integer', expression: 'more + 1' },
                },
                permissions: { get: ['*'], create: ['*'] },
              },
            },
          },
        })
      await server().submit(doubled(2))
      const { body } = await send('POST', '/api/v1/sums/sums', { body: { n: 1 } })
      const seen = `/api/v1/sums/sums/${body.data.id}?fields=most`
      const { headers } = await send('GET', seen)
      const again = () => send('GET', seen, { headers: { 'if-none-match': headers.get('etag')! } })
      expect((await again()).status).toBe(304)
      await server().submit(doubled(3))
      const { status, body: now } = await again()
      expect([status, now.data]).toMatchObject([200, { most: 4 }])
    })

    it('differ where other fields are shown', async () => {
      const clerk = await server().account(`clerk${number}${store.name}`)
      const manager = await server().account(`manager${number}${store.name}`, ['manager'])
      const tags = await Promise.all(
        [clerk, manager].map(async ({ token }) => (await send('GET', path, {}, token)).headers.get('etag')),
      )
      expect(tags[0]).not.toBe(tags[1])
      expect((await send('GET', `${path}?fields=number`)).headers.get('etag')).not.toBe(tag)
    })

    it.each([
      ['PATCH', { note: 'x' }],
      ['PUT', { number: 500 }],
    ])('stop a %s of another version', async (method, sent) => {
      const body = { ...sent, ...(method === 'PUT' && { number }) }
      expect(await outcome(method, { body, headers: { 'if-match': '"old"' } })).toEqual([
        412,
        'PRECONDITION_FAILED',
      ])
      expect(await outcome(method, { body, headers: { 'if-match': tag } })).toEqual([200, undefined])
      expect(await outcome(method, { body, headers: { 'if-match': tag } })).toEqual([
        412,
        'PRECONDITION_FAILED',
      ])
      expect(await outcome(method, { body, headers: { 'if-match': '*' } })).toEqual([200, undefined])
      expect(await outcome(method, { body })).toEqual([200, undefined])
    })

    it('stop a delete of another version', async () => {
      const { token } = await server().account(`boss${number}${store.name}`, ['manager'])
      const remove = async (ifMatch: string) =>
        (await send('DELETE', path, { headers: { 'if-match': ifMatch } }, token)).status
      expect(await remove('"old"')).toBe(412)
      expect(await remove(tag)).toBe(204)
      expect(await remove(tag)).toBe(404)
    })

    it('let one of many writers of the same version win', async () => {
      const tries = Array.from({ length: 10 }, (_, at) =>
        outcome('PATCH', { body: { note: `${at}` }, headers: { 'if-match': tag } }),
      )
      const statuses = (await Promise.all(tries)).map(([status]) => status)
      expect(statuses.sort()).toEqual([200, ...Array(9).fill(412)])
    })
  })
}
