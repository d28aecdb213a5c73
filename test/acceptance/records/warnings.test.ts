import { MAX_WARNINGS } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const NOTES = `
domain:
  name: notes
  version: '1.0.0'
  resources:
    Note:
      features: { caching: true, validationMode: loose, softDelete: true, export: true }
      object: { text: string, createdAt: datetime, deletedAt: datetime }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const PATH = '/api/v1/notes/notes'

for (const store of STORES) {
  describe(`warnings on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: NOTES })
    const send = (method: string, path: string, body?: unknown, headers = {}) =>
      server().request(method, path, { headers, ...(body !== undefined && { body }) })
    const unknown = (count: number) => Array.from({ length: count }, (_, at) => `u${at}`)

    it('are a hundred at most, and one that counts the rest', async () => {
      const { body } = await send('GET', `${PATH}?sort=${unknown(3000).join(',')}`)
      expect(body.warnings).toHaveLength(MAX_WARNINGS + 1)
      const last = body.warnings[MAX_WARNINGS - 1]
      expect(last).toMatchObject({ rule: 'ignored', message: expect.stringContaining("'u99'") })
      expect(body.warnings[MAX_WARNINGS]).toMatchObject({
        rule: 'more',
        message: expect.stringContaining('2900 more'),
      })
      expect(JSON.stringify(body).length).toBeLessThan(20_000)
    })

    it.each(['fields', 'include'])('are as few where %s names what nobody knows', async (parameter) => {
      const { body } = await send('GET', `${PATH}?${parameter}=${unknown(MAX_WARNINGS + 1).join(',')}`)
      expect(body.warnings).toHaveLength(MAX_WARNINGS + 1)
      expect(body.warnings[MAX_WARNINGS]).toMatchObject({
        rule: 'more',
        message: expect.stringContaining('1 more'),
      })
    })

    it('are as few where many rows of a body have each their own', async () => {
      const items = unknown(MAX_WARNINGS + 20).map((text) => ({ text, [text]: 1 }))
      const { status, body } = await send('POST', `${PATH}/bulk`, items)
      expect([status, body.data.created]).toEqual([201, MAX_WARNINGS + 20])
      expect(body.warnings).toHaveLength(MAX_WARNINGS + 1)
      expect(body.warnings[MAX_WARNINGS].message).toContain('20 more')
    })

    it('are the same in an answer that was kept, and in one that is replayed', async () => {
      const list = () => send('GET', `${PATH}?sort=${unknown(MAX_WARNINGS + 10).join(',')}`)
      const [made, kept] = [await list(), await list()]
      expect(kept.body.warnings).toEqual(made.body.warnings)
      const extra = Object.fromEntries(unknown(MAX_WARNINGS + 10).map((name) => [name, 1]))
      const create = () => send('POST', PATH, { text: 'x', ...extra }, { 'idempotency-key': 'one' })
      const [first, again] = [await create(), await create()]
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(again.body).toEqual(first.body)
      expect(first.body.warnings[MAX_WARNINGS].message).toContain('10 more')
    })

    it('tell of what one record was asked for in vain (ruling 2.7)', async () => {
      const { body: made } = await send('POST', PATH, { text: 'x' })
      const path = `${PATH}/${made.data.id}`
      const { body } = await send('GET', `${path}?fields=text&scope=all&page=2&filter[text]=x`)
      expect(body.warnings.map(({ message }: { message: string }) => message)).toEqual([
        expect.stringContaining("'page'"),
        expect.stringContaining("'filter[text]'"),
      ])
      const strict = await send('GET', `${path}?page=2`, undefined, { prefer: 'handling=strict' })
      expect(strict.status).toBe(400)
    })

    it('say nothing of a scope that count and distinct apply', async () => {
      const made = await send('POST', PATH, { text: 'gone' })
      await send('DELETE', `${PATH}/${made.body.data.id}`)
      for (const [path, data] of [
        ['count?scope=deleted', { total: 1 }],
        ['distinct/text?scope=deleted', { field: 'text', values: ['gone'] }],
      ] as const) {
        const { body } = await send('GET', `${PATH}/${path}`, undefined, { prefer: 'handling=strict' })
        expect([body.data, body.warnings]).toEqual([data, undefined])
      }
      const { body } = await send('GET', `${PATH}/count?scope=nothing`)
      expect(body.warnings).toMatchObject([
        { rule: 'ignored', message: expect.stringContaining("'nothing'") },
      ])
    })
  })
}
