import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const LOANS = (owner: string) => `
domain:
  name: loans
  version: '1.0.0'
  resources:
    Loan:
      ${owner}
      object:
        thing: string
        keeperId: { type: uuid, required: true }
        createdById: uuid
        secret: string
      relationships: { keeper: { type: belongsTo, target: User } }
      permissions:
        list: [owner]
        get: 'isOwner()'
        create: [authenticated]
        update: [owner]
        fields: { secret: { read: [owner] } }
`
const PATH = '/api/v1/loans/loans'

for (const store of STORES) {
  describe(`the owner that a definition names, on ${store.name} (ruling 3.8)`, () => {
    const server = useTestKernel({ store, definition: LOANS('owner: keeperId') })
    let lender: TestAccount
    let keeper: TestAccount

    beforeAll(async () => {
      lender = await server().account('lender')
      keeper = await server().account('keeper')
    })
    const send = (method: string, path: string, { token }: TestAccount, body?: unknown) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })

    it('decides in place of the convention', async () => {
      const { body } = await send('POST', PATH, lender, { thing: 'saw', keeperId: keeper.id, secret: 'x' })
      expect(body.data).toMatchObject({ keeperId: keeper.id, createdById: lender.id })
      const path = `${PATH}/${body.data.id}`
      expect((await send('GET', path, lender)).status).toBe(403)
      expect((await send('PATCH', path, lender, {})).status).toBe(403)
      expect((await send('GET', path, keeper)).body.data.secret).toBe('x')
      expect((await send('PATCH', path, keeper, { thing: 'axe' })).status).toBe(200)
      expect((await send('GET', PATH, lender)).body.data.items).toEqual([])
      expect((await send('GET', PATH, keeper)).body.data.count).toBe(1)
    })

    it('is the caller unless a create says otherwise', async () => {
      const { status, body } = await send('POST', PATH, lender, { thing: 'rope' })
      expect([status, body.data.keeperId]).toEqual([201, lender.id])
    })

    it('is told by the schema', async () => {
      const { body } = await server().request('GET', '/api/v1/domains/loans/schema')
      expect(body.data.resources.Loan.owner).toBe('keeperId')
    })

    it('is asked for by a warning where several fields could be it', async () => {
      const submit = async (content: string) =>
        (await server().request('POST', '/api/v1/domains', { token: server().admin, body: { content } })).body
          .warnings
      expect(await submit(LOANS('owner: keeperId'))).toBeUndefined()
      expect(await submit(LOANS(''))).toMatchObject([
        { severity: 'warning', message: expect.stringContaining("'createdById' says whose a record is") },
      ])
    })
  })
}
