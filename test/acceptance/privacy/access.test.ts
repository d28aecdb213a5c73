import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, ANN, BASE, BOB, clinic } from './practice.ts'

for (const store of STORES) {
  describe(`what is kept about somebody on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: clinic() })
    let dpo: TestAccount
    let ann: TestAccount
    let zoe: TestAccount
    const ids: Record<string, string> = {}
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const make = async (collection: string, body: object): Promise<string> => {
      const { status, body: made } = await send('POST', `${BASE}/${collection}`, body)
      expect([status, made.errors]).toEqual([201, undefined])
      return made.data.id
    }
    const access = (identifier: string, token = dpo.token, query = '') =>
      send('GET', `${about(identifier)}${query}`, undefined, token)

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
      ann = await server().account('ann')
      zoe = await server().account('zoe')
      ids.ann = await make('patients', { name: 'Ann', email: ANN, phone: '+49301234567', remark: 'small' })
      await send('PATCH', `${BASE}/patients/${ids.ann}`, { remark: 'tall' })
      ids.bob = await make('patients', {
        name: 'Bob',
        email: BOB,
        phone: '+49307654321',
        referredById: ids.ann,
      })
      ids.visit = await make('visits', { complaint: 'cough', room: '1', patientId: ids.ann })
      ids.note = await make('notes', { text: 'loud', visitId: ids.visit })
      ids.other = await make('visits', { complaint: 'knee', patientId: ids.bob })
      ids.message = await make('messages', { sender: BOB, receiver: ANN.toUpperCase(), text: 'hi' })
      ids.staff = await make('staff', { title: 'nurse', diary: 'dear', userId: ann.id })
    })

    it('P5, P6: are the records that hold the identifier, and those that lead to them, however long the chain', async () => {
      const { status, body } = await access(ANN)
      expect(status).toBe(200)
      const { resources } = body.data
      const found = Object.fromEntries(
        Object.entries<{ id: string }[]>(resources).map(([name, rows]) => [name, rows.map(({ id }) => id)]),
      )
      expect(found).toEqual({
        Patient: [ids.ann],
        Visit: [ids.visit],
        Note: [ids.note],
        Message: [ids.message],
        Staff: [ids.staff],
      })
      expect(body.data.subject).toEqual({ identifier: ANN, field: 'email', restricted: false })
      expect(body.data.account).toMatchObject({ id: ann.id, username: 'ann', email: ANN })
      expect(body.data.classifications.identity).toEqual({ description: 'Who somebody is' })
      const audited = body.data.audit.map(({ resource }: { resource: string }) => resource)
      expect([...new Set(audited)].toSorted()).toEqual(['Patient', 'Visit'])
      expect(body.data.versions).toHaveLength(1)
    })

    it('P6: an identifying value of somebody else is masked, and secrets are not shown', async () => {
      const { body } = await access(ANN)
      const [patient] = body.data.resources.Patient
      expect(patient).toMatchObject({ name: 'Ann', email: ANN, phone: '+49301234567', remark: 'tall' })
      expect(patient).not.toHaveProperty('pin')
      expect(body.data.resources.Message[0]).toMatchObject({ sender: '***', text: 'hi' })
    })

    it('P3, P4: values compare in canonical form, and alternates lead to the same person', async () => {
      for (const [identifier, field] of [
        [' ANN@Example.org ', 'email'],
        ['+49 (30) 123-45.67', 'phone'],
      ] as const) {
        const { status, body } = await access(identifier)
        expect([status, body.data?.subject.field]).toEqual([200, field])
        expect(body.data.resources.Visit).toHaveLength(1)
      }
    })

    it('P4: an alternate of several people is 409, showing none; of nobody 404', async () => {
      await make('patients', { name: 'Cid', email: 'cid@example.org', phone: '+4930999999' })
      await make('patients', { name: 'Dan', email: 'dan@example.org', phone: '+4930999999' })
      const { status, body } = await access('+49 30 999999')
      expect([status, body.error_code]).toEqual([409, 'CONFLICT'])
      expect(JSON.stringify(body)).not.toMatch(/Cid|cid@/)
      expect((await access('nobody@example.org')).status).toBe(404)
    })

    it('P4: a deleted record counts', async () => {
      const id = await make('patients', { name: 'Eve', email: 'eve@example.org' })
      await send('DELETE', `${BASE}/patients/${id}`)
      const { status, body } = await access('eve@example.org')
      expect([status, body.data.resources.Patient[0].name]).toEqual([200, 'Eve'])
    })

    it('P4: the index follows every write', async () => {
      const id = await make('patients', { name: 'Fay', email: 'fay@example.org' })
      await send('PATCH', `${BASE}/patients/${id}`, { email: 'faye@example.org' })
      const now = await access('faye@example.org')
      expect(now.body.data.resources.Patient[0].id).toBe(id)
      await send('PATCH', `${BASE}/patients/${id}`, { email: 'fay@example.org' })
      expect((await access('fay@example.org')).body.data.resources.Patient[0].id).toBe(id)
      expect((await access('faye@example.org')).body.data?.resources ?? {}).toEqual({})
    })

    it.each(['x'.repeat(321), 'a\u0000b', 'a\nb'])('P3: %j is no identifier', async (identifier) => {
      const { status } = await access(identifier)
      expect([400, 404]).toContain(status)
      if (!identifier.includes('\u0000')) expect(status).toBe(400)
    })

    it('P2: nobody else learns whether somebody is known', async () => {
      for (const token of [zoe.token, server().admin])
        for (const identifier of [ANN, 'nobody@example.org'])
          expect((await access(identifier, token)).status).toBe(403)
      expect((await server().request('GET', about(ANN))).status).toBe(401)
    })

    it('P2: the person sees personal fields, and what it may read anyway', async () => {
      const own = await access(ANN, ann.token)
      expect(own.status).toBe(200)
      expect(own.body.data.resources.Patient[0]).toMatchObject({ name: 'Ann', email: ANN })
      expect((await access(BOB, ann.token)).status).toBe(403)
      expect((await send('GET', about(ANN, '/export'), undefined, ann.token)).status).toBe(403)
    })

    it('P6, P7: as CSV, a line for each field', async () => {
      const {
        status,
        body: text,
        headers,
      } = await server().request('GET', `${about(ANN, '/export')}?format=csv`, {
        token: dpo.token,
      })
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      expect(headers.get('content-disposition')).toMatch(/^attachment/)
      const lines = text.split('\r\n')
      expect(lines[0]).toBe('resource,recordId,field,label,classification,value')
      expect(lines).toContain(`Patient,${ids.ann},name,Full name,identity,Ann`)
      expect((await access(ANN, dpo.token, '?format=xml')).status).toBe(400)
    })

    it('P7: an export is records, account and consents', async () => {
      const { body } = await send('GET', about(ANN, '/export'), undefined, dpo.token)
      expect(Object.keys(body.data).toSorted()).toEqual([
        'account',
        'consents',
        'exportedAt',
        'resources',
        'subject',
      ])
    })

    it('P25: all of it is on record, without personal values', async () => {
      const list = (query = '', token = dpo.token) =>
        send('GET', `${BASE}/privacy/log${query}`, undefined, token)
      const { body } = await list(`?action=export&identifier=${encodeURIComponent(ANN)}`)
      expect(body.data.items[0]).toMatchObject({
        action: 'export',
        outcome: 'done',
        actor: { username: 'dpo' },
        details: { format: 'json', resources: { Patient: 1, Visit: 1 } },
      })
      const all = await list()
      expect(JSON.stringify(all.body)).not.toMatch(/ann@|bob@|1234567/i)
      expect((await list('?identifier=nobody%40example.org')).body.data.items).toEqual([])
      expect((await list('', zoe.token)).status).toBe(403)
      expect((await list('?action=dance')).status).toBe(400)
    })

    it('P26: no log line carries an identifier, but the pattern of its route', async () => {
      const canary = 'canary-9271@example.org'
      await access(canary)
      await send('GET', `${about(canary)}/nothing`, undefined, dpo.token)
      await send('POST', about(canary, '/export'), 'x', dpo.token)
      await server().request('GET', about(canary))
      const told = JSON.stringify(server().log)
      expect(told).not.toContain('canary-9271')
      const { body } = await send('GET', '/api/v1/admin/audit?limit=20')
      expect(JSON.stringify(body)).not.toContain('canary-9271')
    })
  })

  describe(`a first word of privacy on ${store.name}`, () => {
    const server = useTestKernel({ store })

    it('P4: finds whom records held already, as soon as a field identifies', async () => {
      const plain = clinic()
        .replace(/\n {2}privacy:[\s\S]*$/, '\n')
        .replaceAll(/classification: \w+,? ?/g, '')
      await server().submit(plain.replaceAll('subjectIdentifier: true', 'subjectIdentifier: false'))
      const { token: admin } = { token: server().admin }
      const dpo = await server().account('dpo', ['dpo'])
      const make = (body: object) => server().request('POST', `${BASE}/patients`, { token: admin, body })
      expect((await make({ name: 'Ann', email: ANN, phone: '+49301234567' })).status).toBe(201)
      await server().submit(clinic({ version: '2' }))
      const { status, body } = await server().request('GET', about(ANN), { token: dpo.token })
      expect([status, body.data?.resources.Patient[0].name]).toEqual([200, 'Ann'])
      expect((await server().request('GET', about('+49 30 1234567'), { token: dpo.token })).status).toBe(200)
    })
  })
}
