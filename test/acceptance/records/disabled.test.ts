import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const SHELF = `
domain:
  name: shelf
  version: '1.0.0'
  resources:
    Book:
      object: { title: string }
      permissions: { list: ['*'] }
      api: { disable: [count, distinct, bulk] }
    Label:
      object: { code: { type: string, primaryKey: true }, text: string }
      api: { disable: [count, distinct, bulk] }
    Box:
      object: { text: string }
      permissions: { list: ['*'] }
      api:
        disable: [count]
        customOperations: [{ name: countBoxes, method: GET, path: /count, permissions: ['*'] }]
    Sale:
      object: { paid: boolean }
      permissions: { create: [authenticated] }
      api:
        disable: [list]
        customOperations:
          - { name: markPaid, permissions: [authenticated], fields: { paid: true } }
          - { name: set_open, permissions: [authenticated], fields: { paid: false } }
`

for (const store of STORES) {
  describe(`operations that are not offered, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: SHELF })
    const status = async (method: string, path: string, token?: string, body?: unknown) =>
      (
        await server().request(method, `/api/v1/shelf${path}`, {
          ...(token !== undefined && { token }),
          ...(body !== undefined && { body }),
        })
      ).status

    it.each([
      ['GET', '/books/count'],
      ['GET', '/books/distinct'],
      ['GET', '/books/distinct/title'],
      ['POST', '/books/bulk'],
      ['PATCH', '/books/bulk'],
      ['DELETE', '/books/bulk'],
      ['GET', '/sales/count'],
    ])('are 404 to everybody: %s %s', async (method, path) => {
      const body = method === 'GET' ? undefined : { ids: [], items: [], data: {} }
      expect(await status(method, path, undefined, body)).toBe(404)
      expect(await status(method, path, server().admin, body)).toBe(404)
    })

    it('are 404 where a record has a key of that name too, which its other operations reach', async () => {
      const { admin } = server()
      for (const code of ['count', 'bulk']) expect(await status('POST', '/labels', admin, { code })).toBe(201)
      expect(await status('GET', '/labels/count')).toBe(404)
      expect(await status('GET', '/labels/count', admin)).toBe(404)
      expect(await status('PATCH', '/labels/bulk', admin, { text: 'x' })).toBe(404)
      expect(await status('GET', '/labels/bulk', admin)).toBe(200)
      expect(await status('PATCH', '/labels/count', admin, { text: 'x' })).toBe(200)
    })

    it('leave their place to an operation that the definition puts there', async () => {
      expect(await status('GET', '/boxes/count')).toBe(200)
    })

    it('are in no list of routes and in no document', async () => {
      const routes = await server().request('GET', '/api/v1/routes')
      const paths = routes.body.data.routes.map(({ path }: { path: string }) => path)
      expect(paths).toContain('/api/v1/shelf/books')
      expect(paths).not.toContain('/api/v1/shelf/books/count')
      const document = await server().request('GET', '/api/v1/domains/shelf/openapi.json')
      expect(Object.keys(document.body.paths)).not.toContain('/api/v1/shelf/books/bulk')
    })

    it('are not mistaken for a custom operation, whose path is its name as written (ruling 4.10)', async () => {
      const { body } = await server().request('POST', '/api/v1/shelf/sales', {
        token: server().admin,
        body: {},
      })
      const sale = `/sales/${body.data.id}`
      expect(await status('POST', `${sale}/markPaid`, server().admin)).toBe(200)
      expect(await status('POST', `${sale}/set_open`, server().admin)).toBe(200)
      expect(await status('POST', `${sale}/mark-paid`, server().admin)).toBe(404)
    })
  })
}
