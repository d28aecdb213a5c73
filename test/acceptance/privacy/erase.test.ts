import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, ANN, BASE, BOB, clinic } from './practice.ts'

const RULES =
  'anonymization: { rules: { name: $pseudonym, email: $hash6, born: $fuzzyDate(30d), Patient.phone: null, complaint: removed } }'

for (const store of STORES) {
  describe(`somebody who is erased on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: clinic({ privacy: RULES }) })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const make = async (collection: string, body: object): Promise<string> => {
      const { status, body: made } = await send('POST', `${BASE}/${collection}`, body)
      expect([status, made.errors]).toEqual([201, undefined])
      return made.data.id
    }
    const erase = (identifier: string, body: object) =>
      send('POST', about(identifier, '/erase'), { reason: 'asked for it', ...body }, dpo.token)
    const access = (identifier: string) => send('GET', about(identifier), undefined, dpo.token)
    const person = async (name: string) => {
      const email = `${name}@example.org`
      const patient = await make('patients', {
        name: `${name} canary`,
        email,
        phone: '+49301234567',
        born: '1980-05-05',
        visits: 7,
        remark: 'kept',
      })
      await send('PATCH', `${BASE}/patients/${patient}`, { name: `${name} canary the second` })
      const visit = await make('visits', { complaint: `${name} coughs`, room: '1', patientId: patient })
      const note = await make('notes', { text: `${name} noted`, visitId: visit })
      return { email, patient, visit, note }
    }

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
    })

    it('P9, P11, P12: is anonymized by the rules, and nothing else is touched', async () => {
      const { email, patient, visit, note } = await person('hannah')
      const { body: before } = await send('GET', `${BASE}/patients/${patient}`)
      const { status, body } = await erase(email, {})
      expect([status, body.error_message]).toEqual([200, undefined])
      expect(body.data).toMatchObject({ dryRun: false, method: 'anonymize', blockers: [], account: null })
      const { body: after } = await send('GET', `${BASE}/patients/${patient}`)
      expect(after.data).toMatchObject({
        name: expect.stringMatching(/^p-[a-z2-7]{16}$/),
        email: expect.stringMatching(/^[0-9a-f]{12}@anonymous\.invalid$/),
        phone: null,
        visits: null,
        remark: 'kept',
        updatedAt: before.data.updatedAt,
      })
      const moved = Math.abs(Date.parse(after.data.born) - Date.parse('1980-05-05')) / 86_400_000
      expect([moved >= 1, moved <= 30]).toEqual([true, true])
      expect((await send('GET', `${BASE}/visits/${visit}`)).body.data).toMatchObject({
        complaint: 'removed',
        room: '1',
      })
      expect((await send('GET', `${BASE}/notes/${note}`)).body.data.text).toBeNull()
      expect((await access(email)).status).toBe(404)
    })

    it('P14: leaves ledgers with what stands in place of it, and one entry more', async () => {
      const { email, patient } = await person('ingrid')
      await erase(email, {})
      const audit = await send('GET', `${BASE}/patients/${patient}/audit`)
      const versions = await send('GET', `${BASE}/patients/${patient}/versions`)
      expect(JSON.stringify([audit.body, versions.body])).not.toMatch(/ingrid/)
      const isErasure = ({ changes }: { changes: object }) => '_action' in changes
      const first = audit.body.data.items.find(isErasure)
      const rest = audit.body.data.items.filter((one: { changes: object }) => !isErasure(one))
      expect(first.changes._action).toBe('erase')
      expect(first.changes.fields).toContain('email')
      expect(rest.at(-1).changes.email).toEqual({ to: null, erased: true })
      expect(rest.at(-1).changes.remark).toEqual({ to: 'kept' })
    })

    it('P14: retainAudit and retainHistory leave ledgers as they were', async () => {
      const { email, patient } = await person('judith')
      await erase(email, { retainAudit: true, retainHistory: true })
      const audit = await send('GET', `${BASE}/patients/${patient}/audit`)
      const versions = await send('GET', `${BASE}/patients/${patient}/versions`)
      expect([
        /judith/.test(JSON.stringify(audit.body)),
        /judith/.test(JSON.stringify(versions.body)),
      ]).toEqual([true, true])
    })

    it('P16: a dry run changes nothing, and says what the same call does then', async () => {
      const { email, patient } = await person('karla')
      const dry = await erase(email, { dryRun: true, reason: undefined })
      expect([dry.status, dry.body.data.dryRun]).toEqual([200, true])
      expect(dry.body.data.affectedResources).toContainEqual({
        resource: 'Patient',
        records: 1,
        action: 'anonymize',
        fields: ['name', 'email', 'phone', 'born', 'visits'],
        preserved: [],
        excluded: false,
      })
      expect((await send('GET', `${BASE}/patients/${patient}`)).body.data.email).toBe(email)
      const done = await erase(email, {})
      const { id, erasedAt, ...rest } = done.body.data
      expect(rest).toEqual({ ...dry.body.data, dryRun: false })
      expect([typeof id, typeof erasedAt]).toEqual(['string', 'string'])
    })

    it('P18: again, it is the same erase; of one never known it is 404', async () => {
      const { email } = await person('lotte')
      const first = await erase(email, {})
      const again = await erase(email, {})
      expect([again.status, again.body.data.alreadyErased, again.body.data.id]).toEqual([
        200,
        true,
        first.body.data.id,
      ])
      expect(again.body.data.affectedResources).toEqual([])
      expect((await erase('never@example.org', {})).status).toBe(404)
    })

    it('P9, P13: is pseudonymized, and found by the pseudonym and the original from then on', async () => {
      const { email, patient } = await person('maria')
      const { status } = await erase(email, { method: 'pseudonymize' })
      expect(status).toBe(200)
      const { body } = await send('GET', `${BASE}/patients/${patient}`)
      const pseudonym = body.data.name
      expect(pseudonym).toMatch(/^p-[a-z2-7]{16}$/)
      for (const identifier of [email, pseudonym]) {
        const found = await access(identifier)
        expect([found.status, found.body.data?.resources.Patient[0].id]).toEqual([200, patient])
      }
      const again = await erase(email, { method: 'pseudonymize' })
      expect(again.body.data).toMatchObject({ alreadyErased: true, affectedResources: [] })
      expect(JSON.stringify((await access(email)).body.data.resources)).not.toMatch(/maria/)
    })

    it('P9: is removed for good, with what goes along', async () => {
      const { email, patient, visit, note } = await person('nora')
      const { body } = await erase(email, { method: 'delete' })
      const removed = body.data.affectedResources.map(({ resource, action }: Record<string, string>) => [
        resource,
        action,
      ])
      expect(removed.toSorted()).toEqual([
        ['Note', 'delete'],
        ['Patient', 'delete'],
        ['Visit', 'delete'],
      ])
      for (const path of [`patients/${patient}`, `visits/${visit}`, `notes/${note}`])
        expect((await send('GET', `${BASE}/${path}`)).status).toBe(404)
      expect((await access(email)).status).toBe(404)
      expect((await erase(email, { method: 'delete' })).body.data.alreadyErased).toBe(true)
    })

    it('P9: what a restrict keeps is anonymized in place of removed', async () => {
      const id = await make('holders', { email: 'olga@example.org' })
      await make('papers', { holderId: id })
      const { body } = await erase('olga@example.org', { method: 'delete' })
      expect(body.data.affectedResources).toMatchObject([{ resource: 'Holder', action: 'anonymize' }])
      expect((await send('GET', `${BASE}/holders/${id}`)).body.data.email).toMatch(/anonymous\.invalid$/)
    })

    it('P17: excluded resources are left alone, and said so', async () => {
      const { email, visit } = await person('paula')
      const { body } = await erase(email, { excludeResources: ['Visit'] })
      expect(body.data.affectedResources).toContainEqual(
        expect.objectContaining({ resource: 'Visit', excluded: true, records: 1 }),
      )
      expect((await send('GET', `${BASE}/visits/${visit}`)).body.data.complaint).toBe('paula coughs')
    })

    it("P11: somebody else's identifier stays", async () => {
      const { email } = await person('rosa')
      const id = await make('messages', { sender: BOB, receiver: email, text: 'x' })
      await erase(email, {})
      const { body } = await send('GET', `${BASE}/messages/${id}`)
      expect(body.data).toMatchObject({ sender: BOB, receiver: null })
    })

    it('P9, P14: the ledgers of a record that is long gone are erased too', async () => {
      const id = await make('visitors', { email: 'sue@example.org' })
      await send('DELETE', `${BASE}/visitors/${id}`)
      expect((await erase('sue@example.org', {})).status).toBe(200)
      const { body } = await send('GET', `${BASE}/visitors/audit`)
      expect(JSON.stringify(body)).not.toMatch(/sue@/)
    })

    it.each([
      [{ method: 'forget' }, 'method', 'enum'],
      [{ dryRun: 'false' }, 'dryRun', 'type'],
      [{ colour: 'red' }, 'colour', 'unknown'],
      [{ excludeResources: ['Nothing'] }, 'excludeResources', 'enum'],
      [{ reason: undefined }, 'reason', 'required'],
      [{ reason: 'x'.repeat(501) }, 'reason', 'length'],
      [{ reason: '' }, 'reason', 'length'],
    ])('P8: %j is 422', async (wrong, field, rule) => {
      const { status, body } = await erase(ANN, wrong)
      expect([status, body.errors?.[0]]).toMatchObject([422, { field, rule }])
    })

    it('P25: is on record, without personal values', async () => {
      const { body } = await send('GET', `${BASE}/privacy/log?action=erase`, undefined, dpo.token)
      expect(body.data.items.length).toBeGreaterThan(3)
      expect(JSON.stringify(body)).not.toMatch(/hannah|ingrid|example\.org/)
    })
  })

  describe(`what a law asks to be kept on ${store.name}`, () => {
    const HOLD = `retention:
      - { category: identity, hold: true, regulation: Tax Act, when: remark == 'taxed' }
      - { category: contact, duration: 1d, hold: true, regulation: Short Act }`
    const BINDER = `Binder: { object: { title: string }, permissions: { list: ['*'], get: ['*'], create: ['*'], delete: ['*'] } }
    Sheet:
      object: { text: { type: string, privacy: { classification: contact } } }
      relationships: { binder: { type: belongsTo, target: Binder, onDelete: cascade } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], delete: ['*'] }`
    const server = useTestKernel({ store, definition: clinic({ privacy: HOLD, more: BINDER }) })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })

    it('P17: keeps a record from being removed, also where it goes along with another', async () => {
      const made = await send('POST', `${BASE}/binders`, { title: 'x' })
      const sheet = { text: 'kept', binderId: made.body.data.id }
      expect((await send('POST', `${BASE}/sheets`, sheet)).status).toBe(201)
      const removal = await send('DELETE', `${BASE}/binders/${made.body.data.id}`)
      expect([removal.status, removal.body.error_code]).toEqual([409, 'LEGAL_HOLD'])
    })

    it('P17: blocks an erase, which changes nothing, as long as it holds', async () => {
      const made = await send('POST', `${BASE}/patients`, {
        name: 'Tia',
        email: 'tia@example.org',
        remark: 'taxed',
      })
      const { id } = made.body.data
      const erase = (body: object) =>
        send('POST', about('tia@example.org', '/erase'), { reason: 'x', ...body })
      const dry = await erase({ dryRun: true })
      expect(dry.body.data.blockers).toEqual([
        { resource: 'Patient', recordId: id, reason: "'identity' is held", regulation: 'Tax Act' },
        { resource: 'Patient', recordId: id, reason: "'contact' is held", regulation: 'Short Act' },
      ])
      const blocked = await erase({})
      expect([blocked.status, blocked.body.error_code]).toEqual([409, 'LEGAL_HOLD'])
      expect(blocked.body.data.blockers).toEqual(dry.body.data.blockers)
      expect((await send('GET', `${BASE}/patients/${id}`)).body.data.name).toBe('Tia')
      const change = await send('PATCH', `${BASE}/patients/${id}`, { name: 'Thea' })
      expect([change.status, change.body.error_code]).toEqual([409, 'LEGAL_HOLD'])
      expect((await send('PATCH', `${BASE}/patients/${id}`, { phone: '+49301111111' })).status).toBe(200)
      expect((await send('PATCH', `${BASE}/patients/${id}`, { phone: null })).status).toBe(409)
      server().clock.advance(2 * 86_400_000)
      const { token } = await server().account('later', ['dpo', 'admin'])
      const paid = { remark: 'paid' }
      await server().request('PATCH', `${BASE}/patients/${id}`, { token, body: paid })
      const after = await server().request('POST', about('tia@example.org', '/erase'), {
        token,
        body: { reason: 'x' },
      })
      expect(after.status).toBe(200)
    })
  })
}
