import { describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const HOLDING = `
    Desk:
      object: { title: string }
      relationships: { holder: { type: belongsTo, target: User, onDelete: restrict } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], delete: ['*'] }
      privacy: { subject: [] }`

for (const store of STORES) {
  describe(`the account of somebody who is erased on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: clinic({ more: HOLDING }) })
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const erase = (identifier: string, body: object, token?: string) =>
      send('POST', about(identifier, '/erase'), { reason: 'asked for it', account: true, ...body }, token)
    const tablesWith = async (word: string) =>
      [...(await rowsKept(server().database))].flatMap(([table, rows]) =>
        rows.includes(word) ? [table] : [],
      )

    it('P14: goes with the person, its sessions and tokens too; a dry run says so', async () => {
      const account = await server().account('greta')
      const email = 'greta@example.org'
      await send('POST', `${BASE}/patients`, { name: 'Greta Canary', email })
      const dry = await erase(email, { dryRun: true })
      expect(dry.body.data.account).toEqual({ id: account.id, action: 'remove', name: 'pseudonym' })
      expect((await send('GET', '/api/v1/auth/me', undefined, account.token)).status).toBe(200)
      const { status, body } = await erase(email, {})
      const { id, erasedAt, ...rest } = body.data
      expect([status, rest]).toEqual([200, { ...dry.body.data, dryRun: false }])
      expect([typeof id, typeof erasedAt]).toEqual(['string', 'string'])
      expect((await send('GET', '/api/v1/auth/me', undefined, account.token)).status).toBe(401)
      expect(await tablesWith(email)).toEqual([])
      expect(
        (await tablesWith(account.id)).filter((table) => /^svc_(users|sessions|tokens)/.test(table)),
      ).toEqual([])
      const again = await erase(email, {})
      expect([again.status, again.body.data]).toMatchObject([200, { id, alreadyErased: true, account: null }])
    })

    it('P14: goes where there is nothing else of the person', async () => {
      await server().account('helga')
      const { status, body } = await erase('helga@example.org', { dryRun: false })
      expect([status, body.data.affectedResources, body.data.account]).toMatchObject([
        200,
        [],
        { action: 'remove' },
      ])
      expect(await tablesWith('helga@example.org')).toEqual([])
    })

    it('P14: stays unless it is asked for, and unless an administrator asks', async () => {
      const dpo = await server().account('dpo', ['dpo'])
      const account = await server().account('irma')
      await send('POST', `${BASE}/patients`, { name: 'Irma', email: 'irma@example.org' })
      const refused = await erase('irma@example.org', {}, dpo.token)
      expect([refused.status, refused.body.error_code]).toEqual([403, 'FORBIDDEN'])
      const done = await erase('irma@example.org', { account: false }, dpo.token)
      expect([done.status, done.body.data.account]).toEqual([200, null])
      expect((await send('GET', '/api/v1/auth/me', undefined, account.token)).status).toBe(200)
    })

    it('P10: where it cannot go, nothing is erased', async () => {
      const account = await server().account('jutta')
      await send('POST', `${BASE}/patients`, { name: 'Jutta Canary', email: 'jutta@example.org' })
      expect((await send('POST', `${BASE}/desks`, { title: 'x', holderId: account.id })).status).toBe(201)
      const before = await tablesWith('Jutta Canary')
      for (const dryRun of [true, false]) {
        const { status, body } = await erase('jutta@example.org', { dryRun })
        expect([dryRun, status, body.error_code]).toEqual([dryRun, 409, 'REFERENCED'])
        expect(await tablesWith('Jutta Canary')).toEqual(before)
      }
      expect(await tablesWith('Jutta Canary')).toContain('clinic_patient')
      expect((await send('GET', '/api/v1/auth/me', undefined, account.token)).status).toBe(200)
      for (const dryRun of [true, false]) {
        const last = await erase('admin@example.org', { dryRun })
        expect([dryRun, last.status, last.body.error_code]).toEqual([dryRun, 409, 'CONFLICT'])
      }
    })
  })
}
