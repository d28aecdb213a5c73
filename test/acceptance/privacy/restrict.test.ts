import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const BADGE = `Badge:
      object: { code: { type: integer, primaryKey: true }, text: string }
      relationships: { patient: { type: belongsTo, target: Patient, onDelete: none } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
      features: { caching: true }`

for (const store of STORES) {
  describe(`a restriction on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: clinic({ more: BADGE, privacy: 'consent: [{ purpose: letters }]' }),
    })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const restrict = (identifier: string, body: object = {}) =>
      send('POST', about(identifier, '/restrict'), { reason: 'disputed', ...body }, dpo.token)
    const lift = (identifier: string) =>
      send('POST', about(identifier, '/unrestrict'), { reason: 'settled' }, dpo.token)
    const made = async (path: string, body: object): Promise<string> => {
      const answer = await send('POST', `${BASE}/${path}`, body)
      expect([path, answer.status, answer.body.error_code]).toEqual([path, 201, undefined])
      return answer.body.data.id ?? answer.body.data.code
    }
    const codeOf = async (method: string, path: string, body?: object) => {
      const answer = await send(method, `${BASE}/${path}`, body)
      return answer.body?.error_code ?? answer.status
    }
    const person = async (name: string) => {
      const email = `${name}@example.org`
      const patient = await made('patients', { name, email })
      const visit = await made('visits', { patientId: patient, room: '1' })
      const note = await made('notes', { visitId: visit, text: 'x' })
      return { email, patient, visit, note }
    }

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
    })

    it('P20: keeps everybody from all but reading, unless said, and counts the records', async () => {
      const { email, patient, visit, note } = await person('abe')
      const { status, body } = await restrict(email.toUpperCase())
      expect(status).toBe(200)
      expect(body.data).toEqual({
        restricted: true,
        restrictedOperations: ['create', 'update', 'delete', 'transition', 'custom', 'export', 'automate'],
        since: expect.any(String),
        records: 3,
      })
      for (const [method, path, sent] of [
        ['PATCH', `patients/${patient}`, { remark: 'y' }],
        ['PUT', `patients/${patient}`, { name: 'Abe' }],
        ['DELETE', `visits/${visit}`, undefined],
        ['DELETE', `notes/${note}`, undefined],
        ['POST', 'notes', { visitId: visit, text: 'z' }],
        ['POST', 'messages', { sender: email }],
      ] as const)
        expect([method, path, await codeOf(method, path, sent)]).toEqual([method, path, 'RESTRICTED'])
      expect(await codeOf('GET', `patients/${patient}`)).toBe(200)
      expect((await send('GET', `${BASE}/notes?filter[id]=${note}`)).body.data.totalCount).toBe(1)
    })

    it('P20: lifted everything goes on, and again is the same; access tells of it', async () => {
      const { email, patient } = await person('bea')
      await restrict(email)
      const seen = (await send('GET', about(email), undefined, dpo.token)).body.data
      expect(seen.subject.restricted).toBe(true)
      expect(seen.restriction.restrictedOperations).toContain('update')
      expect(await codeOf('PATCH', `patients/${patient}`, { remark: 'y' })).toBe('RESTRICTED')
      expect((await lift(email)).body.data).toEqual({ restricted: false })
      expect(await codeOf('PATCH', `patients/${patient}`, { remark: 'y' })).toBe(200)
      const again = await lift(email)
      expect([again.status, again.body.data]).toEqual([200, { restricted: false }])
      const log = await send('GET', `${BASE}/privacy/log?identifier=${email}&limit=20`, undefined, dpo.token)
      const actions = log.body.data.items.map(({ action }: { action: string }) => action)
      expect(actions).toEqual(['unrestrict', 'unrestrict', 'access', 'restrict'])
    })

    it('P20: binds records that come to lead to the person, also by way of others', async () => {
      const { email, visit } = await person('cid')
      await restrict(email, { restrictedOperations: ['delete', 'list'] })
      const note = await made('notes', { visitId: visit, text: 'later' })
      const message = await made('messages', { sender: email, text: 'hello' })
      const badge = await made('badges', { code: 77, text: 'x' })
      const { body } = await send('GET', `${BASE}/visits/${visit}`)
      expect(body.data).toMatchObject({ id: visit })
      const patient = (await send('GET', `${BASE}/visits/${visit}`)).body.data.patientId
      expect(await codeOf('DELETE', `notes/${note}`)).toBe('RESTRICTED')
      expect(await codeOf('DELETE', `messages/${message}`)).toBe('RESTRICTED')
      const badges = async () => (await send('GET', `${BASE}/badges`)).body.data.totalCount
      expect(await badges()).toBe(1)
      expect(await codeOf('PATCH', `badges/${badge}`, { patientId: patient })).toBe(200)
      // A kept answer follows at once.
      expect(await badges()).toBe(0)
      expect(await codeOf('DELETE', `badges/${badge}`)).toBe('RESTRICTED')
      expect(await codeOf('PATCH', `badges/${badge}`, { patientId: null })).toBe(200)
      expect(await badges()).toBe(1)
      expect(await codeOf('DELETE', `badges/${badge}`)).toBe(204)
      const { body: replaced } = await restrict(email, { allowedOperations: ['delete'] })
      expect(replaced.data.restrictedOperations).not.toContain('delete')
      expect(replaced.data.restrictedOperations).toContain('update')
      expect(replaced.data.records).toBe(5)
      expect(await codeOf('DELETE', `notes/${note}`)).toBe(204)
      expect(await codeOf('PATCH', `messages/${message}`, { text: 'y' })).toBe('RESTRICTED')
      // What would come to be the person's by an update is restricted as what is.
      const other = await made('badges', { code: 78, text: 'x' })
      expect(await codeOf('PATCH', `badges/${other}`, { patientId: patient })).toBe('RESTRICTED')
    })

    it('P20: a record that names somebody else is not restricted, though it leads to the person', async () => {
      const { email, patient } = await person('dan')
      await restrict(email)
      const referred = await send('POST', `${BASE}/patients`, {
        name: 'Eve',
        email: 'eve@example.org',
        referredById: patient,
      })
      expect(referred.status).toBe(201)
      expect(await codeOf('PATCH', `patients/${referred.body.data.id}`, { remark: 'x' })).toBe(200)
    })

    it('P20: bulk rows fail alone, cascades not at all', async () => {
      const { email, patient, visit } = await person('fay')
      const free = await made('visits', { room: '9' })
      await restrict(email, { restrictedOperations: ['update', 'delete', 'create'] })
      const update = await send('PATCH', `${BASE}/visits/bulk`, { ids: [visit, free], data: { room: '3' } })
      expect(update.body.data).toMatchObject({
        updated: 1,
        failed: 1,
        errors: [{ error_code: 'RESTRICTED' }],
      })
      const create = await send('POST', `${BASE}/visits/bulk`, {
        items: [{ patientId: patient, room: '4' }, { room: '5' }],
      })
      expect(create.body.data).toMatchObject({
        created: 1,
        failed: 1,
        errors: [{ error_code: 'RESTRICTED' }],
      })
    })

    it('P20: the endpoints of privacy go on; a restriction follows a corrected identifier', async () => {
      const { email, patient } = await person('gil')
      await restrict(email, { restrictedOperations: ['get', 'list', 'update', 'delete', 'create', 'export'] })
      const found = (await send('GET', about(email), undefined, dpo.token)).body.data
      expect(found.resources.Patient).toHaveLength(1)
      const corrections = { email: 'gilbert@example.org', name: 'Gilbert' }
      const corrected = await send(
        'PATCH',
        about(email, '/rectify'),
        { resource: 'Patient', recordId: patient, corrections, reason: 'x' },
        dpo.token,
      )
      expect(corrected.status).toBe(200)
      expect(await codeOf('GET', `patients/${patient}`)).toBe('RESTRICTED')
      expect((await lift('gilbert@example.org')).status).toBe(200)
      expect(await codeOf('GET', `patients/${patient}`)).toBe(200)
    })

    it('P20: somebody who has consented and has no record yet may be restricted; an erase lifts it', async () => {
      const email = 'hal@example.org'
      expect((await restrict(email)).status).toBe(404)
      await send('POST', about(email, '/consent/grant'), { purpose: 'letters' }, dpo.token)
      expect((await restrict(email)).body.data.records).toBe(0)
      expect(await codeOf('POST', 'patients', { name: 'Hal', email })).toBe('RESTRICTED')
      await restrict(email, { restrictedOperations: ['update'] })
      const id = await made('patients', { name: 'Hal', email })
      expect(await codeOf('PATCH', `patients/${id}`, { remark: 'x' })).toBe('RESTRICTED')
      const erased = await send('POST', about(email, '/erase'), { reason: 'x' })
      expect(erased.status).toBe(200)
      expect(await codeOf('PATCH', `patients/${id}`, { remark: 'x' })).toBe(200)
    })

    it.each([
      [{ restrictedOperations: ['fly'] }, 'restrictedOperations'],
      [{ allowedOperations: ['get', 'GET'] }, 'allowedOperations'],
      [{ restrictedOperations: 'all' }, 'restrictedOperations'],
      [{ colour: 'red' }, 'colour'],
      [{ reason: '' }, 'reason'],
      [{ reason: undefined }, 'reason'],
    ])('P20: %j is 422', async (body, field) => {
      const answer = await restrict('abe@example.org', body)
      expect([answer.status, answer.body.errors[0].field]).toEqual([422, field])
    })

    it('P20: is permitted by restrict alone, and tells nobody else whether somebody is known', async () => {
      const clerk = await server().account('clerk', ['clerk'])
      for (const identifier of ['abe@example.org', 'nobody@example.org'])
        for (const what of ['/restrict', '/unrestrict'])
          expect(
            (await send('POST', about(identifier, what), { reason: 'x' }, clerk.token)).body.error_code,
          ).toBe('FORBIDDEN')
    })
  })

  describe(`a restriction beside another definition on ${store.name}`, () => {
    const letters = (version: string, flag = '') =>
      clinic({
        version,
        more: `Letter:
      object: { to: { type: email${flag} }, text: text }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`,
      })
    const server = useTestKernel({ store, definition: letters('1') })

    it('P20: binds the records that come to be the person’s by it, and leaves those that do not stay so', async () => {
      const { token } = await server().account('dpo', ['dpo'])
      const send = (method: string, path: string, body: unknown) =>
        server().request(method, path, { token, body })
      const email = 'una@example.org'
      await send('POST', `${BASE}/patients`, { name: 'Una', email })
      const { body } = await send('POST', `${BASE}/letters`, { to: email, text: 'x' })
      expect((await send('POST', about(email, '/restrict'), { reason: 'x' })).status).toBe(200)
      const change = async (text: string) => {
        const { status, body: said } = await send('PATCH', `${BASE}/letters/${body.data.id}`, { text })
        return [status, said.error_code]
      }
      expect(await change('one')).toEqual([200, undefined])
      await server().submit(letters('2', ', privacy: { subjectIdentifier: true }'))
      expect(await change('two')).toEqual([403, 'RESTRICTED'])
      await server().submit(letters('3'))
      expect(await change('three')).toEqual([200, undefined])
    })
  })
}
