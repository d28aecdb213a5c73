import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const resource = (name: string, onDelete: string, more = '') => `
    ${name}:
      object: { note: string, deletedAt: datetime }
      features: { softDelete: ${more.includes('soft')}, audit: true }
      relationships: { user: { type: belongsTo, target: User, onDelete: ${onDelete} } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`

const DEFINITION = `
domain:
  name: club
  version: '1.0.0'
  resources:${resource('Card', 'cascade')}${resource('Diary', 'cascade', 'soft')}${resource('Guest', 'nullify')}${resource('Loan', 'restrict', 'soft')}${resource('Trace', 'none')}
    Stamp:
      object: { note: string }
      relationships: { card: { type: belongsTo, target: Card, onDelete: cascade } }
      permissions: { list: ['*'], create: ['*'] }
`
const OTHER = `
domain:
  name: other
  version: '1.0.0'
  resources:${resource('Debt', 'restrict')}`

for (const store of STORES) {
  describe(`an account that is removed, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    beforeAll(() => server().submit(OTHER))

    const send = async (method: string, path: string, body?: unknown, token?: string) => {
      const options = { ...(body !== undefined && { body }), ...(token !== undefined && { token }) }
      return server().request(method, `/api/v1/${path}`, options)
    }
    const create = async (path: string, body: object): Promise<string> =>
      (await send('POST', path, body)).body.data.id
    const read = async (path: string) => {
      const { status, body } = await send('GET', path)
      return status === 200 ? body.data : status
    }
    const join = () => server().account(`user-${Math.random().toString(36).slice(2, 10)}`, [])
    const leave = (token: string) => send('DELETE', 'auth/account', undefined, token)

    it('takes along, lets go or leaves what refers to it, as each relationship says', async () => {
      const { id, token } = await join()
      const stranger = await join()
      const card = await create('club/cards', { userId: id })
      const stamp = await create('club/stamps', { cardId: card })
      const diary = await create('club/diaries', { userId: id })
      const guest = await create('club/guests', { userId: id, note: 'kept' })
      const trace = await create('club/traces', { userId: id })
      const foreign = await create('club/cards', { userId: stranger.id })
      const loan = await create('club/loans', { userId: id })
      await send('DELETE', `club/loans/${loan}`)

      expect((await leave(token)).status).toBe(204)
      expect(await read(`club/cards/${card}`)).toBe(404)
      expect((await read('club/stamps')).items.map((one: { id: string }) => one.id)).not.toContain(stamp)
      expect(await read(`club/diaries/${diary}`)).toBe(404)
      expect(await read(`club/diaries/${diary}?scope=deleted`)).toMatchObject({ userId: null })
      expect(await read(`club/loans/${loan}?scope=deleted`)).toMatchObject({ userId: null })
      expect(await read(`club/guests/${guest}`)).toMatchObject({ userId: null, note: 'kept' })
      expect(await read(`club/traces/${trace}`)).toMatchObject({ userId: id })
      expect(await read(`club/cards/${foreign}`)).toMatchObject({ userId: stranger.id })
      expect(await read(`club/guests/${guest}/audit`)).toMatchObject({
        items: [
          { action: 'update', userId: id, changes: { userId: { from: id, to: null } } },
          { action: 'create' },
        ],
      })
    })

    it('stays, with all that refers to it, where anything refuses', async () => {
      const { id, token } = await join()
      const card = await create('club/cards', { userId: id })
      const guest = await create('club/guests', { userId: id })
      const debt = await create('other/debts', { userId: id })
      expect(await leave(token)).toMatchObject({ status: 409, body: { error_code: 'REFERENCED' } })
      expect((await send('GET', 'auth/me', undefined, token)).status).toBe(200)
      expect(await read(`club/cards/${card}`)).toMatchObject({ userId: id })
      expect(await read(`club/guests/${guest}`)).toMatchObject({ userId: id })
      await send('DELETE', `other/debts/${debt}`)
      expect((await leave(token)).status).toBe(204)
      expect(await read(`club/cards/${card}`)).toBe(404)
    })

    it('is told to the bus once it is gone, and not before', async () => {
      const { id, token } = await join()
      const card = await create('club/cards', { userId: id })
      const debt = await create('other/debts', { userId: id })
      const heard: unknown[] = []
      const off = server().kernel.bus.on('svc.club.card.deleted', (event) => void heard.push(event))
      await leave(token)
      expect(heard).toEqual([])
      await send('DELETE', `other/debts/${debt}`)
      await leave(token)
      expect(heard).toMatchObject([{ recordId: card, actor: { id } }])
      off()
    })
  })
}
