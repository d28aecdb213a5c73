import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { config, ENCRYPTION } from './clinic.ts'
import { club, clubOf } from './club.ts'

/** A club that asks for consent before it keeps guests, whose address is in the clear or not. */
const CLUBS = {
  'in the clear': club(),
  encrypted: club()
    .replaceAll('subjectIdentifier: true } }', 'subjectIdentifier: true, encrypted: true } }')
    .replace('  privacy:\n', `  privacy:\n    ${ENCRYPTION}\n`),
} as const
const GUARDED = 'consent: [{ purpose: study, resources: [Visit, Guest] }]'

for (const store of STORES)
  for (const [kind, definition] of Object.entries(CLUBS))
    describe(`somebody whose identifier another write changes, ${kind}, on ${store.name}`, () => {
      const server = useTestKernel({
        store,
        config,
        definition: definition.replace('consent: [{ purpose: study, resources: [Visit] }]', GUARDED),
      })
      let keeper: TestAccount
      let people = 0
      const { send, about, ask, member } = clubOf(server, () => keeper)
      const consent = async (identifier: string): Promise<string | null> =>
        (await send('GET', about(identifier, '/consent'))).body.data.items[0].status
      const grant = (identifier: string) =>
        send('POST', about(identifier, '/consent/grant'), { purpose: 'study' })
      const restrict = (identifier: string, restrictedOperations = ['delete']) =>
        ask(identifier, '/restrict', { restrictedOperations })
      const codeOf = async (id: string, path = 'members') => {
        const { status, body } = await send('DELETE', `${path}/${id}`)
        return body?.error_code ?? status
      }
      const patch = async (id: string, body: object, path = 'members') => {
        const { status, body: said } = await send('PATCH', `${path}/${id}`, body)
        expect([status, said.errors, said.error_code]).toEqual([200, undefined, undefined])
      }
      /** Somebody who has consented and is restricted, with what comes after the name in an address. */
      const person = async () => {
        people += 1
        const [email, next] = [`p${people}@example.org`, `p${people}.new@example.org`] as const
        const id = await member({ name: 'Pat', email })
        await grant(email)
        expect((await restrict(email)).status).toBe(200)
        return { id, email, next }
      }

      beforeAll(async () => {
        keeper = await server().account('keeper', ['keeper'])
      })

      it.each([
        ['PATCH', (id: string, email: string) => send('PATCH', `members/${id}`, { email })],
        ['PUT', (id: string, email: string) => send('PUT', `members/${id}`, { name: 'Pat', email })],
        [
          'bulk',
          (id: string, email: string) => send('PATCH', 'members/bulk', { ids: [id], data: { email } }),
        ],
        [
          'upsert',
          (id: string, email: string) =>
            send('POST', 'members/bulk', { upsert: true, items: [{ id, email }] }),
        ],
      ])('P19, P20, P21: takes consents and a restriction along by %s', async (_, write) => {
        const { id, email, next } = await person()
        const { status, body } = await write(id, next)
        expect([status < 300, body.error_code, body.data?.errors ?? []]).toEqual([true, undefined, []])
        expect((await send('GET', `members/${id}`)).body.data.email).toBe(next)
        expect([await consent(next), await consent(email)]).toEqual(['granted', null])
        expect(await codeOf(id)).toBe('RESTRICTED')
        expect((await send('GET', about(next))).body.data.subject.restricted).toBe(true)
        expect((await ask(next, '/unrestrict', {})).status).toBe(200)
        expect(await codeOf(id)).toBe(204)
      })

      it('P19, P20, P21: goes and comes back with a revert, and in another form it is the same', async () => {
        const { id, email, next } = await person()
        await patch(id, { email: email.toUpperCase() })
        expect([await consent(email), await codeOf(id)]).toEqual(['granted', 'RESTRICTED'])
        await patch(id, { email: next })
        expect((await send('POST', `members/${id}/revert`, { version: 1 })).status).toBe(200)
        expect([await consent(email), await consent(next)]).toEqual(['granted', null])
        expect(await codeOf(id)).toBe('RESTRICTED')
      })

      it('P19, P20, P21: what is left of the identifiers tells who it is', async () => {
        const { id, email } = await person()
        const phone = `+4930777${people}`
        await patch(id, { phone, email: null })
        expect([await consent(phone), await codeOf(id)]).toEqual(['granted', 'RESTRICTED'])
        await patch(id, { phone: `${phone}9` })
        expect([await consent(`${phone}9`), await codeOf(id)]).toEqual(['granted', 'RESTRICTED'])
        expect(await consent(email)).toBeNull()
      })

      it('P20, P21: of several records one that is changed stays bound, and the consent stays behind', async () => {
        const { id, email, next } = await person()
        const other = await member({ name: 'Pat', email })
        await patch(id, { email: next })
        expect([await consent(email), await consent(next)]).toEqual(['granted', null])
        expect([await codeOf(id), await codeOf(other)]).toEqual(['RESTRICTED', 'RESTRICTED'])
        // With the last of them nothing is left that would be somebody else.
        await patch(other, { email: next })
        expect([await consent(email), await consent(next)]).toEqual([null, 'granted'])
        expect((await ask(next, '/unrestrict', {})).status).toBe(200)
        expect((await send('GET', about(email, '/consent'))).status).toBe(200)
        expect([await codeOf(id), await codeOf(other)]).toEqual([204, 204])
      })

      it('P20, P21: all records in one bulk are the same person', async () => {
        const { id, email, next } = await person()
        const other = await member({ name: 'Pat', email })
        const { body } = await send('PATCH', 'members/bulk', { ids: [id, other], data: { email: next } })
        expect(body.data).toMatchObject({ updated: 2, failed: 0 })
        expect([await consent(email), await consent(next)]).toEqual([null, 'granted'])
        expect([await codeOf(id), await codeOf(other)]).toEqual(['RESTRICTED', 'RESTRICTED'])
        expect((await ask(next, '/unrestrict', {})).status).toBe(200)
        expect([await codeOf(id), await codeOf(other)]).toEqual([204, 204])
      })

      it('P20, P21: takes nothing of somebody else, and brings them nothing', async () => {
        const { id, email } = await person()
        const theirs = `q${people}@example.org`
        const other = await member({ name: 'Quinn', email: theirs })
        await patch(id, { email: theirs })
        expect([await consent(theirs), await consent(email)]).toEqual([null, 'granted'])
        expect([await codeOf(id), await codeOf(other)]).toEqual([204, 204])
        // Whoever comes to be known by it is who it was about.
        expect(await codeOf(await member({ name: 'Pat', email }))).toBe('RESTRICTED')
      })

      it('P21: who has consented by the new identifier already has said what they say', async () => {
        const { id, email, next } = await person()
        await grant(next)
        await ask(next, '/consent/withdraw', { purpose: 'study' })
        await patch(id, { email: next })
        expect([await consent(next), await consent(email)]).toEqual(['withdrawn', 'granted'])
        expect(await codeOf(id)).toBe('RESTRICTED')
      })

      it('P19: a correction says that it is the same person, whoever holds either', async () => {
        const { id, email, next } = await person()
        const twin = await member({ name: 'Pat', email })
        const other = await member({ name: 'Pat', email: next })
        const body = { resource: 'Member', recordId: id, corrections: { email: next } }
        expect((await ask(email, '/rectify', body)).status).toBe(200)
        expect([await consent(email), await consent(next)]).toEqual(['granted', 'granted'])
        for (const one of [id, twin, other]) expect(await codeOf(one)).toBe('RESTRICTED')
      })

      it('P22: the consent is there in time where the record itself asks for it', async () => {
        people += 1
        const [email, next] = [`g${people}@example.org`, `g${people}.new@example.org`]
        await grant(email!)
        const { body } = await send('POST', 'guests', { email })
        await patch(body.data.id, { email: next }, 'guests')
        expect([await consent(next!), await consent(email!)]).toEqual(['granted', null])
        const corrections = { email }
        const correction = { resource: 'Guest', recordId: body.data.id, corrections }
        expect((await ask(next!, '/rectify', correction)).status).toBe(200)
        const other = await send('POST', 'guests', { email: `h${people}@example.org` })
        expect(other.body.error_code).toBe('CONSENT_REQUIRED')
        // What is refused has moved nothing.
        await grant(`i${people}@example.org`)
        await ask(`i${people}@example.org`, '/consent/withdraw', { purpose: 'study' })
        const refused = await send('PATCH', `guests/${body.data.id}`, { email: `i${people}@example.org` })
        expect([refused.body.error_code, await consent(email!)]).toEqual(['CONSENT_REQUIRED', 'granted'])
      })
    })
