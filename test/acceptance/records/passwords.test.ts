import { describe, expect, it } from 'vitest'
import { useFullHashes } from '../../kit/argon2.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const DOORS = `
domain:
  name: house
  version: '1.0.0'
  resources:
    Door:
      features: { import: true }
      object: { name: string, code: { type: password, required: true } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'] }
`
const PATH = '/api/v1/house/doors'
/** More than any machine hashes in the time of a request. */
const TOO_MANY = 15_000

for (const store of STORES) {
  describe(`fields of type password on ${store.name}`, () => {
    useFullHashes()
    const server = useTestKernel({ store, definition: DOORS, config: { domain: { bulk_limit: TOO_MANY } } })
    const send = (method: string, path: string, body: unknown) => server().request(method, path, { body })
    const stored = async () => (await server().request('GET', `${PATH}/count`)).body.data.count

    it('are hashed in every row of a bulk, and a row that is refused fails alone', async () => {
      const items = [
        { name: 'a', code: 'open sesame' },
        { name: 'b', code: 'short' },
        { name: 'c', code: 'sesame street' },
      ]
      const { status, body } = await send('POST', `${PATH}/bulk`, { items })
      expect(status).toBe(201)
      expect([body.data.created, body.data.failed, body.data.errors[0].index]).toEqual([2, 1, 1])
      expect(JSON.stringify(body)).not.toContain('sesame')
      const ids = body.data.items.map(({ id }: { id: string }) => id)
      const changed = await send('PATCH', `${PATH}/bulk`, { ids, data: { code: 'another one' } })
      expect(changed.body.data).toMatchObject({ updated: 2, failed: 0 })
    })

    it.each(['POST /bulk', 'POST /import', 'PATCH /bulk'])(
      'are refused as a whole in a %s that could not be hashed within the time of a request',
      async (line) => {
        const before = await stored()
        const [method = '', path = ''] = line.split(' ')
        const items = Array.from({ length: TOO_MANY }, (_, at) =>
          method === 'PATCH'
            ? { id: `018f3f2a-0000-7000-8000-${String(at).padStart(12, '0')}`, code: '12345678' }
            : { code: '12345678' },
        )
        const { status, body } = await send(method, `${PATH}${path}`, items)
        expect([status, body.error_code]).toEqual([422, 'BULK_LIMIT_EXCEEDED'])
        expect(body.error_message).toMatch(/^15000 passwords .* send at most \d+ in one request$/)
        expect(await stored()).toBe(before)
      },
    )
  })
}
