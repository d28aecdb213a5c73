import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const PURPOSES = `consent:
      - { purpose: care, required: true, description: Treatment }
      - { purpose: study, resources: [Note, Visitor] }
      - { purpose: letters, resources: [Note] }
      - { purpose: archive, withdrawable: false }`

for (const store of STORES) {
  describe(`consent on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: clinic({ privacy: PURPOSES }) })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const consent = (identifier: string, what: string, body: object) =>
      send('POST', about(identifier, `/consent/${what}`), body, dpo.token)
    const items = async (identifier: string) =>
      (await send('GET', about(identifier, '/consent'), undefined, dpo.token)).body.data.items

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
    })

    it('P21: is granted before there is a record, withdrawn, and listed', async () => {
      const granted = await consent('uma@example.org', 'grant', { purpose: 'study', evidence: { form: 7 } })
      expect(granted.status).toBe(201)
      expect(granted.body.data).toMatchObject({
        purpose: 'study',
        status: 'granted',
        grantedBy: 'subject',
        evidence: { form: 7 },
        reason: null,
        actor: { username: 'dpo' },
      })
      const withdrawn = await consent('UMA@example.org', 'withdraw', { purpose: 'study', reason: 'moved' })
      expect([withdrawn.status, withdrawn.body.data.status]).toEqual([201, 'withdrawn'])
      expect(await items('uma@example.org')).toEqual([
        { purpose: 'care', required: true, status: 'granted', since: null },
        { purpose: 'study', required: false, status: 'withdrawn', since: withdrawn.body.data.at },
        { purpose: 'letters', required: false, status: null, since: null },
        { purpose: 'archive', required: false, status: null, since: null },
      ])
      const { body } = await send('GET', `${BASE}/privacy/log?action=consent`, undefined, dpo.token)
      expect(body.data.items[0]).toMatchObject({ action: 'consent', details: { purpose: 'study' } })
    })

    it.each([
      ['grant', { purpose: 'dance' }, 422, 'purpose'],
      ['grant', { purpose: 'study', evidence: 'x'.repeat(2001) }, 422, 'evidence'],
      ['grant', { purpose: 'study', evidence: 7 }, 422, 'evidence'],
      ['grant', { purpose: 'study', colour: 'red' }, 422, 'colour'],
      ['withdraw', { purpose: 'study' }, 422, 'reason'],
      ['withdraw', { purpose: 'care', reason: 'x' }, 409, undefined],
      ['withdraw', { purpose: 'letters', reason: 'x' }, 409, undefined],
    ])('P21: %s of %j is %i', async (what, body, status, field) => {
      const answer = await consent('vic@example.org', what, body)
      expect([answer.status, answer.body.errors?.[0].field]).toEqual([status, field])
    })

    it('P21: what is not withdrawable stays granted', async () => {
      expect((await consent('wim@example.org', 'grant', { purpose: 'archive' })).status).toBe(201)
      const answer = await consent('wim@example.org', 'withdraw', { purpose: 'archive', reason: 'x' })
      expect([answer.status, answer.body.error_code]).toEqual([409, 'CONFLICT'])
    })

    it('P22: a resource that purposes name holds records only while one of them is in force', async () => {
      const email = 'xena@example.org'
      const refused = await send('POST', `${BASE}/visitors`, { email })
      expect([refused.status, refused.body.error_code]).toEqual([403, 'CONSENT_REQUIRED'])
      const patient = await send('POST', `${BASE}/patients`, { name: 'Xena', email })
      const visit = await send('POST', `${BASE}/visits`, { patientId: patient.body.data.id })
      const note = { text: 'x', visitId: visit.body.data.id }
      expect((await send('POST', `${BASE}/notes`, note)).body.error_code).toBe('CONSENT_REQUIRED')
      await consent(email, 'grant', { purpose: 'letters' })
      const made = await send('POST', `${BASE}/notes`, note)
      expect(made.status).toBe(201)
      expect((await send('POST', `${BASE}/visitors`, { email })).status).toBe(403)
      await consent(email, 'withdraw', { purpose: 'letters', reason: 'x' })
      const update = await send('PATCH', `${BASE}/notes/${made.body.data.id}`, { text: 'y' })
      expect([update.status, update.body.error_code]).toEqual([403, 'CONSENT_REQUIRED'])
      expect((await send('POST', `${BASE}/notes`, { text: 'of nobody' })).status).toBe(201)
    })

    it('P14: an erase withdraws what is in force, and forgets by what it was given', async () => {
      const email = 'yves@example.org'
      await send('POST', `${BASE}/patients`, { name: 'Yves', email })
      await consent(email, 'grant', { purpose: 'study', grantedBy: 'canary mother', evidence: 'canary form' })
      const erased = await send('POST', about(email, '/erase'), { reason: 'x' })
      expect(erased.status).toBe(200)
      const found = await send('GET', about(email, '/export'), undefined, dpo.token)
      expect(JSON.stringify(found.body)).not.toContain('canary')
      expect(
        (await items(email)).find(({ purpose }: { purpose: string }) => purpose === 'study').status,
      ).toBe('withdrawn')
    })
  })
}
