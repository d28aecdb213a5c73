import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const DEFINITION = `
domain:
  name: keyed
  version: '1'
  resources:
    Tag:
      object:
        code: { type: string, primaryKey: true }
        label: string
      permissions:
        list: ['*']
        get: ['*']
        create: [admin]
        fields: { code: { read: [admin] } }
`

describe.each(STORES.map((store) => [store.name, store] as const))(
  'a key that is not for all, %s',
  (_, store) => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const tags = (query = '', token?: string) =>
      server().request('GET', `/api/v1/keyed/tags${query}`, token === undefined ? {} : { token })

    it('is absent from records, whatever fields are asked for', async () => {
      const { request, admin } = server()
      for (const code of ['a', 'b', 'c'])
        await request('POST', '/api/v1/keyed/tags', { token: admin, body: { code, label: `about ${code}` } })
      for (const query of ['', '?fields=label', '?fields=code,label', '?limit=1&page=2'])
        for (const item of (await tags(query)).body.data.items) expect(Object.keys(item)).toEqual(['label'])
      expect((await tags('/a?fields=label')).body.data).toEqual({ label: 'about a' })
      expect((await tags('?fields=label', admin)).body.data.items[0]).toEqual({ code: 'a', label: 'about a' })
    })

    it('is in no cursor: who may not read it walks by pages', async () => {
      const refused = await tags('?cursor=&limit=1')
      expect([refused.status, refused.body.error_code]).toEqual([400, 'INVALID_QUERY'])
      expect(refused.body.error_message).toContain("'page'")
      const { body } = await tags('?cursor=&limit=1', server().admin)
      expect(body.data.nextCursor).toEqual(expect.any(String))
    })
  },
)
