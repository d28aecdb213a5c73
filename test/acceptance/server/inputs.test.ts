import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const NOTES = `
domain:
  name: notes
  version: '1.0.0'
  resources: { Note: { object: { text: string } } }
`

for (const store of STORES) {
  describe(`[2.1] the fields of a body, on ${store.name}`, () => {
    const server = useTestKernel({ store })

    /** Asks with every field of the body in the query, and no body. */
    const inQuery = (method: string, path: string, fields: Record<string, string>, strict = false) =>
      server().request(method, `${path}?${new URLSearchParams(fields)}`, {
        token: server().admin,
        headers: strict ? { prefer: 'handling=strict' } : {},
      })

    it('are not read from the query: a definition there is not submitted', async () => {
      const { status, body } = await inQuery('POST', '/api/v1/domains', { content: NOTES })
      expect([status, body.errors]).toEqual([
        422,
        [expect.objectContaining({ field: 'content', rule: 'required' })],
      ])
      const { body: listed } = await server().request('GET', '/api/v1/domains', { token: server().admin })
      expect(listed.data.domains ?? listed.data.items ?? listed.data).toEqual([])
    })

    it.each([
      ['POST', '/api/v1/domains/notes/preview', { content: NOTES }],
      ['POST', '/api/v1/auth/login', { username: 'admin', password: 'Correct-horse-7' }],
      [
        'POST',
        '/api/v1/auth/register',
        { username: 'ann', email: 'ann@example.org', password: 'Correct-horse-7' },
      ],
      ['POST', '/api/v1/admin/roles', { name: 'clerk', description: 'clerk' }],
      ['PUT', '/api/v1/admin/users/admin/roles', { roles: 'admin' }],
    ])('are not read from the query by %s %s', async (method, path, fields) => {
      const { status, body } = await inQuery(method, path, fields)
      expect(status).toBe(422)
      expect(body.errors).toContainEqual(expect.objectContaining({ rule: 'required' }))
    })

    it('beside a body the query changes nothing, and the answer says so; strict handling refuses it', async () => {
      const ask = (headers: Record<string, string>) =>
        server().request('POST', '/api/v1/domains?allow_destructive=true&x=1', {
          token: server().admin,
          body: { content: NOTES },
          headers,
        })
      const strict = await ask({ prefer: 'handling=strict' })
      expect([strict.status, strict.body.error_code]).toEqual([400, 'INVALID_QUERY'])
      const { status, body } = await ask({})
      expect(status).toBe(201)
      expect(
        body.warnings.map(({ rule, message }: { rule: string; message: string }) => [rule, message]),
      ).toEqual([
        ['ignored', "The query parameter 'allow_destructive' is ignored: the input is read from the body"],
        ['ignored', "The query parameter 'x' is ignored: the input is read from the body"],
      ])
    })

    it('of a record are not read from the query', async () => {
      const { status, body } = await server().request('POST', '/api/v1/notes/notes?text=query', {
        token: server().admin,
        body: {},
      })
      expect([status, body.data?.text]).toEqual([201, null])
    })
  })
}
