import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { club, clubOf } from './club.ts'

const LOG = club().replace('permissions: { access:', 'permissions: { log: [keeper], access:')

for (const store of STORES) {
  describe(`what the log tells of somebody on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: LOG })
    let keeper: TestAccount
    const { send, about, ask, member, shown } = clubOf(server, () => keeper)
    const grant = (identifier: string) =>
      send('POST', about(identifier, '/consent/grant'), { purpose: 'study' })
    const list = (identifier: string) =>
      send('GET', `privacy/log?limit=50&identifier=${encodeURIComponent(identifier)}`)
    const log = async (identifier: string) =>
      (await list(identifier)).body.data.items.map(({ action }: { action: string }) => action).toReversed()

    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
    })

    it('P25: is the same by each identifier, whichever it was asked by and whenever that became known', async () => {
      const [email, phone] = ['ann@example.org', '+49301110001']
      await grant(phone)
      const id = await member({ name: 'Ann', phone })
      await ask(phone, '/restrict', { restrictedOperations: ['export'] })
      await send('PATCH', `members/${id}`, { email })
      await ask(email, '/unrestrict', {})
      await send('GET', about('+49 (30) 111-0001'))
      const all = ['consent', 'restrict', 'unrestrict', 'access']
      for (const identifier of [email, ' ANN@example.org', phone, '+49 (30) 1110001'])
        expect([identifier, await log(identifier)]).toEqual([identifier, all])
      const { body } = await send('GET', about(email))
      expect(body.data.log.map(({ action }: { action: string }) => action)).toEqual([...all, 'access'])
      await member({ name: 'Zoe', email: 'zoe@example.org' })
      expect([await log('zoe@example.org'), await log('nobody@example.org')]).toEqual([[], []])
    })

    it('P4, P25: under what several people share nothing is told, and it is told of neither', async () => {
      const phone = '+49301110002'
      await member({ name: 'Bea', phone, email: 'bea@example.org' })
      await ask(phone, '/restrict', { restrictedOperations: ['export'] })
      await member({ name: 'Cid', phone, email: 'cid@example.org' })
      const shared = await list(phone)
      expect([shared.status, shared.body.error_code]).toEqual([409, 'CONFLICT'])
      expect([await log('bea@example.org'), await log('cid@example.org')]).toEqual([['restrict'], []])
    })

    it('P13, P25: of somebody who was pseudonymized it is the same by the pseudonym and by the original', async () => {
      const [email, phone] = ['dan@example.org', '+49301110003']
      const id = await member({ name: 'Dan', email, phone })
      await send('GET', about(email))
      await ask(phone, '/erase', { method: 'pseudonymize' })
      const { name } = await shown(id)
      await send('GET', about(name))
      for (const identifier of [email, phone, name])
        expect([identifier, await log(identifier)]).toEqual([identifier, ['access', 'erase', 'access']])
    })

    it('P25: is told to who may read the log alone', async () => {
      const other = await server().account('clerk', ['clerk'])
      for (const identifier of ['ann@example.org', 'nobody@example.org', '+49301110002'])
        expect(
          (await send('GET', `privacy/log?identifier=${identifier}`, undefined, other.token)).status,
        ).toBe(403)
    })
  })
}
