import { beforeAll, describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { club, CLUB_BASE, clubOf } from './club.ts'

const DAY = 86_400_000
const config = { auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000_000 } } }

for (const store of STORES) {
  describe(`what is asked again, or in another way, on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: club(), config })
    let keeper: TestAccount
    const { send, about, ask, member, shown } = clubOf(server, () => keeper)

    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
    })

    it('P18: what was written since is erased with the next, though it looks like what an erase leaves', async () => {
      const id = await member({ name: 'Eve', email: 'eve@example.org', born: '1980-01-01' })
      const erase = () => ask('eve@example.org', '/erase', { method: 'pseudonymize' })
      await erase()
      const { name } = await shown(id)
      expect((await erase()).body.data.alreadyErased).toBe(true)
      await send('PATCH', `members/${id}`, { name: 'p-diddy', born: '1999-09-09' })
      expect((await erase()).body.data.affectedResources).toMatchObject([{ fields: ['name', 'born'] }])
      const left = await shown(id)
      expect([left.name, left.born === '1999-09-09']).toEqual([name, false])
      expect((await erase()).body.data.alreadyErased).toBe(true)
    })

    it('P9: who was pseudonymized and is anonymized then is remembered by nothing', async () => {
      const id = await member({ name: 'Fay', email: 'fay@example.org', born: '1980-01-01' })
      await ask('fay@example.org', '/erase', { method: 'pseudonymize' })
      const { name } = await shown(id)
      const again = await ask('fay@example.org', '/erase', { method: 'anonymize' })
      expect(again.body.data).toMatchObject({ affectedResources: [{ resource: 'Member', records: 1 }] })
      expect((await shown(id)).name).not.toBe(name)
      for (const identifier of ['fay@example.org', name])
        expect((await send('GET', about(identifier))).status).toBe(404)
      const third = await ask('fay@example.org', '/erase', { method: 'anonymize' })
      expect(third.body.data.alreadyErased).toBe(true)
    })

    it('P12: a day at the end of all days is moved to one that there is', async () => {
      for (const born of ['9999-12-31', '0001-01-01'])
        for (let round = 0; round < 6; round += 1) {
          const email = `${born}.${round}@example.org`
          const id = await member({ name: 'End', email, born })
          const { status } = await ask(email, '/erase', {})
          const moved = (await shown(id)).born
          expect([round, status, moved]).toEqual([round, 200, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)])
          const days = Math.abs(Date.parse(moved) - Date.parse(born)) / DAY
          expect([days >= 1, days <= 30]).toEqual([true, true])
        }
    })

    it('P17, P19: a correction of an immutable field is an ordinary update, which a hold keeps out', async () => {
      const recordId = await member({ name: 'held', email: 'gil@example.org', serial: 'abc' })
      const correct = (corrections: object) =>
        ask('gil@example.org', '/rectify', { resource: 'Member', recordId, corrections })
      const refused = await correct({ serial: 'xyz' })
      expect([refused.status, refused.body.error_code]).toEqual([409, 'LEGAL_HOLD'])
      await send('POST', about('gil@example.org', '/erase'), { reason: 'x', dryRun: true })
      const free = await member({ name: 'free', email: 'hew@example.org', serial: 'abc' })
      const plain = await send('PATCH', `members/${free}`, { serial: 'xyz' })
      expect(plain.body.errors[0]).toMatchObject({ field: 'serial', rule: 'immutable' })
      const body = { resource: 'Member', recordId: free, corrections: { serial: 'xy' } }
      const short = await ask('hew@example.org', '/rectify', body)
      expect([short.status, short.body.errors?.[0].rule]).toEqual([422, 'minLength'])
      const good = await ask('hew@example.org', '/rectify', { ...body, corrections: { serial: 'xyz' } })
      expect([good.status, (await shown(free)).serial]).toEqual([200, 'xyz'])
      const events = await send('GET', '../domains/club/events?resource=Member&action=updated')
      expect(events.body.data.items.at(-1)).toMatchObject({
        action: 'updated',
        record: { id: free },
      })
    })

    it('P22: neither a revert nor a restore brings back what a person has not consented to', async () => {
      const email = 'cid@example.org'
      const memberId = await member({ name: 'Cid', email })
      await ask(email, '/consent/grant', { purpose: 'study', reason: undefined })
      const visit = (await send('POST', 'visits', { text: 'one', memberId })).body.data.id
      const gone = (await send('POST', 'visits', { text: 'gone', memberId })).body.data.id
      await send('PATCH', `visits/${visit}`, { text: 'two' })
      await send('DELETE', `visits/${gone}`)
      expect((await ask(email, '/consent/withdraw', { purpose: 'study' })).status).toBe(201)
      const reverted = await send('POST', `visits/${visit}/revert`, { version: 1 })
      const restored = await send('POST', `visits/${gone}/restore`)
      expect([reverted, restored].map(({ status, body }) => [status, body.error_code])).toEqual([
        [403, 'CONSENT_REQUIRED'],
        [403, 'CONSENT_REQUIRED'],
      ])
      await ask(email, '/consent/grant', { purpose: 'study', reason: undefined })
      expect((await send('POST', `visits/${visit}/revert`, { version: 1 })).status).toBe(200)
      expect((await send('POST', `visits/${gone}/restore`)).status).toBe(200)
    })

    it('P21: of several withdrawals at once one is done, and entries agree with what is in force', async () => {
      const second = await startSecond(server().database, server().clock, [], config)
      const both = [server().request, second.request]
      const say = (of: (typeof both)[number], who: string, what: string, body: object) =>
        of('POST', `${CLUB_BASE}/${about(who, `/consent/${what}`)}`, { token: keeper.token, body })
      for (let round = 0; round < 8; round += 1) {
        const who = `w${round}@example.org`
        await say(server().request, who, 'grant', { purpose: 'study' })
        const body = { purpose: 'study', reason: 'x' }
        const done = await Promise.all([0, 1, 2, 3].map((at) => say(both[at % 2]!, who, 'withdraw', body)))
        expect([round, ...done.map(({ status }) => status).toSorted()]).toEqual([round, 201, 409, 409, 409])
      }
      await second.stop()
    })

    it('P24: what a law holds is not archived', async () => {
      const id = await member({ name: 'held', email: 'ivo@example.org' })
      const other = await member({ name: 'free', email: 'jan@example.org' })
      server().clock.advance(400 * DAY)
      const { body } = await send('POST', 'privacy/retention', {})
      const [{ due, done, held }] = body.data.items
      expect([due, held]).toEqual([done + held, 2])
      expect((await send('GET', `members/${id}`)).status).toBe(200)
      expect((await send('GET', `members/${other}`)).status).toBe(404)
    })
  })
}
