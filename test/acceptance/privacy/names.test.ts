import { beforeAll, describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { club, clubOf } from './club.ts'

for (const store of STORES) {
  describe(`one person of several names on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: club() })
    let keeper: TestAccount
    const { send, about, ask, member } = clubOf(server, () => keeper)
    const consent = async (identifier: string) =>
      (await send('GET', about(identifier, '/consent'))).body.data.items[0].status
    const grant = (identifier: string, evidence: string) =>
      send('POST', about(identifier, '/consent/grant'), { purpose: 'study', evidence })

    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
    })

    it('P14, P21: a consent that came before any record follows to the record, and goes with its person', async () => {
      expect((await grant('+49 (30) 555 66 77', 'canary form')).status).toBe(201)
      expect(await consent('+49305556677')).toBe('granted')
      await member({ name: 'Bea', email: 'bea@example.org', phone: '+49305556677' })
      expect([await consent('bea@example.org'), await consent('+49305556677')]).toEqual([
        'granted',
        'granted',
      ])
      expect((await ask('bea@example.org', '/erase', {})).status).toBe(200)
      expect(JSON.stringify([...(await rowsKept(server().database))])).not.toContain('canary form')
    })

    it('P21: a consent under what several share is nobody’s alone', async () => {
      await member({ name: 'Cid', email: 'cid@example.org', phone: '+49307771234' })
      expect((await grant('+49308881234', 'x')).status).toBe(201)
      const other = await member({ name: 'Dan', email: 'dan@example.org', phone: '+49309991234' })
      await member({ name: 'Eve', email: 'eve@example.org', phone: '+49308881234' })
      expect(await consent('eve@example.org')).toBe('granted')
      await send('PATCH', `members/${other}`, { phone: '+49308881234' })
      expect([await consent('dan@example.org'), await consent('eve@example.org')]).toEqual([null, 'granted'])
    })

    it('P19: consents and a restriction follow an identifier that a correction adds', async () => {
      const phone = '+49301112223'
      const recordId = await member({ name: 'Ida', phone })
      await grant(phone, 'x')
      expect((await ask(phone, '/restrict', {})).status).toBe(200)
      const corrections = { email: 'ida@example.org' }
      expect((await ask(phone, '/rectify', { resource: 'Member', recordId, corrections })).status).toBe(200)
      expect(await consent('ida@example.org')).toBe('granted')
      const change = () => send('PATCH', `members/${recordId}`, { remark: 'y' })
      expect((await change()).body.error_code).toBe('RESTRICTED')
      expect((await ask('ida@example.org', '/unrestrict', {})).status).toBe(200)
      expect((await change()).status).toBe(200)
    })

    it('P19: they follow to what is named next where a correction takes the first identifier away', async () => {
      const [email, phone] = ['lea@example.org', '+49304445556']
      const recordId = await member({ name: 'Lea', email, phone })
      await grant(email, 'x')
      expect((await ask(email, '/restrict', {})).status).toBe(200)
      const body = { resource: 'Member', recordId, corrections: { email: null } }
      expect((await ask(email, '/rectify', body)).status).toBe(200)
      expect(await consent(phone)).toBe('granted')
      const change = () => send('PATCH', `members/${recordId}`, { remark: 'y' })
      expect((await change()).body.error_code).toBe('RESTRICTED')
      expect((await ask(phone, '/unrestrict', {})).status).toBe(200)
      expect((await change()).status).toBe(200)
    })

    it('P5: a record that leads to somebody is theirs, unless it names somebody else', async () => {
      const memberId = await member({ name: 'Jo', email: 'jo@example.org' })
      const guest = async (values: object) =>
        (await send('POST', 'guests', { memberId, ...values })).body.data.id as string
      const [plain, own] = [await guest({}), await guest({ email: 'JO@example.org' })]
      const other = await guest({ email: 'kim@example.org' })
      const guestsOf = async (identifier: string) =>
        (await send('GET', about(identifier))).body.data.resources.Guest.map(({ id }: { id: string }) => id)
      expect((await guestsOf('jo@example.org')).toSorted()).toEqual([plain, own].toSorted())
      expect(await guestsOf('kim@example.org')).toEqual([other])
      await ask('jo@example.org', '/erase', {})
      expect((await send('GET', `guests/${other}`)).body.data.email).toBe('kim@example.org')
    })

    it('P13: who is pseudonymized is found by the original once the definition is another one', async () => {
      const id = await member({ name: 'Flo', email: 'flo@example.org' })
      await ask('flo@example.org', '/erase', { method: 'pseudonymize' })
      const more = 'nick: { type: string, default: x, privacy: { subjectIdentifier: true } }'
      await server().submit(club({ version: '2', more }))
      const { status, body } = await send('GET', about('flo@example.org'))
      expect([status, body.data?.resources.Member?.[0].id]).toEqual([200, id])
      await server().submit(club({ version: '3' }), { allow_destructive: true })
      expect((await send('GET', about('flo@example.org'))).body.data.resources.Member[0].id).toBe(id)
    })
  })
}
