import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { faultsOf } from './answer-law.ts'
import { WORKS } from './works.ts'

const BASE = '/api/v1/works'

/** Requests that chance has found an internal error with. */
const REQUESTS = [
  ['PATCH', `${BASE}/memos/bulk`, '[{"id":{"toString":1}}]', 200],
  ['DELETE', `${BASE}/memos/bulk`, '{"ids":[[{"toString":1}]]}', 200],
  ['GET', `${BASE}/stocks/%00`, undefined, 404],
  ['GET', `${BASE}/stocks/%00/moves`, undefined, 404],
] as const

for (const store of STORES) {
  describe(`what was once answered wrongly on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: WORKS })

    it.each(REQUESTS)('%s %s %s', async (method, path, body, status) => {
      const answer = await server().request(method, path, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
      expect(answer.status).toBe(status)
      expect(faultsOf({ method, path, query: '', headers: {} }, answer)).toEqual([])
    })

    it.each([{}, { upsert: true, conflict: ['name'] }])(
      'a bulk request makes records in the order of its items: %j',
      async (more) => {
        const names = Array.from({ length: 60 }, (_, at) => `${Object.keys(more).length} ${at}`)
        const { body } = await server().request('POST', `${BASE}/tags/bulk`, {
          token: server().admin,
          body: { items: names.map((name) => ({ name })), ...more },
        })
        const made: readonly { readonly id: string; readonly name: string }[] = body.data.items
        expect(made.map(({ name }) => name)).toEqual(names)
        expect(made.map(({ id }) => id)).toEqual(made.map(({ id }) => id).toSorted())
      },
    )
  })
}
