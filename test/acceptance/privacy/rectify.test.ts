import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const CARD = `Card:
      features: { audit: true }
      object:
        email: { type: email, immutable: true, privacy: { subjectIdentifier: true } }
        owner: { type: string, minLength: 3, privacy: { pii: true } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: [nobody], delete: ['*'] }`

for (const store of STORES) {
  describe(`a correction on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: clinic({ more: CARD, privacy: 'consent: [{ purpose: letters }]' }),
    })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const rectify = (identifier: string, body: object) =>
      send('PATCH', about(identifier, '/rectify'), { reason: 'wrong', ...body }, dpo.token)
    const card = async (email: string): Promise<string> =>
      (await send('POST', `${BASE}/cards`, { email, owner: 'Zed' })).body.data.id

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
    })

    it('P19: is an ordinary update, in which neither permissions nor immutable count', async () => {
      const id = await card('ada@example.org')
      const { status, body } = await rectify('ada@example.org', {
        resource: 'Card',
        recordId: id,
        corrections: { owner: 'Ada', email: 'ADA@example.com' },
      })
      expect([status, body.data]).toEqual([
        200,
        { resource: 'Card', recordId: id, corrected: ['owner', 'email'] },
      ])
      expect((await send('GET', `${BASE}/cards/${id}`)).body.data.owner).toBe('Ada')
      const audit = await send('GET', `${BASE}/cards/${id}/audit?limit=50`)
      expect(audit.body.data.items.some(({ username }: { username: string }) => username === 'dpo')).toBe(
        true,
      )
      expect((await send('GET', about('ada@example.com'), undefined, dpo.token)).status).toBe(200)
    })

    it('P19: consents follow a corrected identifier', async () => {
      const made = await send('POST', `${BASE}/patients`, { name: 'Ben', email: 'ben@example.org' })
      const grant = { purpose: 'letters' }
      await send('POST', about('ben@example.org', '/consent/grant'), grant, dpo.token)
      const corrections = { email: 'benno@example.org' }
      const body = { resource: 'Patient', recordId: made.body.data.id, corrections }
      expect((await rectify('ben@example.org', body)).status).toBe(200)
      const { body: found } = await send('GET', about('benno@example.org', '/consent'), undefined, dpo.token)
      expect(found.data.items[0].status).toBe('granted')
    })

    it.each([
      [{ corrections: { owner: 'x' } }, 422],
      [{ corrections: { remark: 'x' } }, 422],
      [{ corrections: {} }, 422],
      [{ reason: '' }, 422],
      [{ resource: 'Crad' }, 422],
      [{ resource: 'Patient', corrections: { name: 'Cleo' } }, 404],
      [{ colour: 'red' }, 422],
    ])('P19: %j is %i', async (wrong, status) => {
      const id = await card('cleo@example.org')
      const body = { resource: 'Card', recordId: id, corrections: { owner: 'Cleo' }, ...wrong }
      expect((await rectify('cleo@example.org', body)).status).toBe(status)
      expect((await send('GET', `${BASE}/cards/${id}`)).body.data.owner).toBe('Zed')
    })

    it("P19: somebody else's record is 404", async () => {
      const id = await card('dora@example.org')
      await card('eli@example.org')
      const body = { resource: 'Card', recordId: id, corrections: { owner: 'Eli' } }
      expect((await rectify('eli@example.org', body)).status).toBe(404)
    })
  })
}
