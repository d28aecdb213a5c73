import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { startSecond } from '../../kit/second-server.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const MARK = `Mark:
      object: { remark: { type: string, privacy: { pii: true } } }
      relationships: { visit: { type: belongsTo, target: Visit, onDelete: nullify } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }`
const ROUNDS = size('RACE_ROUNDS', { smoke: 8, whole: 100 })
const RULES = 'anonymization: { rules: { name: $pseudonym, email: $pseudonym } }'

for (const store of STORES) {
  describe(`what an erase leaves out on ${store.name}`, () => {
    const practice = (version: string) => clinic({ version, more: MARK, privacy: RULES })
    const server = useTestKernel({ store, definition: practice('1') })
    let dpo: TestAccount
    let people = 0
    const send = (method: string, path: string, body?: unknown, token = dpo.token) =>
      server().request(method, path, { token, ...(body !== undefined && { body }) })
    const make = async (collection: string, body: object): Promise<string> => {
      const { status, body: made } = await send('POST', `${BASE}/${collection}`, body)
      expect([status, made.errors]).toEqual([201, undefined])
      return made.data.id
    }
    const erase = async (identifier: string, body: object = {}) => {
      const answer = await send('POST', about(identifier, '/erase'), { reason: 'x', ...body })
      expect([answer.status, answer.body.error_message]).toEqual([200, undefined])
      return answer.body.data
    }
    const access = async (identifier: string) => (await send('GET', about(identifier))).body.data
    const shown = async (path: string) => (await send('GET', `${BASE}/${path}`)).body.data
    const person = async () => {
      people += 1
      const [email, phone] = [`left${people}@example.org`, `+4930100${1000 + people}`] as const
      const patient = await make('patients', { name: `Ann ${people}`, email, phone })
      const visit = await make('visits', { patientId: patient, complaint: `coughs ${people}`, room: '1' })
      const note = await make('notes', { visitId: visit, text: `noted ${people}` })
      const mark = await make('marks', { visitId: visit, remark: `marked ${people}` })
      return { email, phone, patient, visit, note, mark }
    }

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo', 'admin'])
    })

    it('P8, P17: is found by each identifier, and erased by the next', async () => {
      const { email, phone, visit, patient } = await person()
      const first = await erase(email, { excludeResources: ['Visit'] })
      expect(JSON.stringify([...(await rowsKept(server().database))])).not.toContain(email)
      for (const identifier of [email.toUpperCase(), phone]) {
        const found = await access(identifier)
        expect([identifier, found?.subject.field, found?.resources.Visit[0].id]).toEqual([
          identifier,
          null,
          visit,
        ])
        expect(found.resources.Patient).toBeUndefined()
      }
      const before = await shown(`patients/${patient}`)
      const dry = await erase(phone, { dryRun: true })
      const { id: _, erasedAt: __, ...second } = await erase(phone)
      expect(second).toEqual({ ...dry, dryRun: false })
      expect(second.affectedResources).toMatchObject([
        { resource: 'Visit', records: 1, action: 'anonymize', fields: ['complaint'] },
      ])
      expect((await shown(`visits/${visit}`)).complaint).toBeNull()
      expect(await shown(`patients/${patient}`)).toEqual(before)
      expect(await access(email)).toBeUndefined()
      expect(await erase(email)).toMatchObject({ alreadyErased: true, id: first.id })
    })

    it('P8, P18: again with the same left out is the same erase, and so are several steps', async () => {
      const { email, visit, note } = await person()
      const first = await erase(email, { excludeResources: ['Visit', 'Note', 'Mark'] })
      const again = await erase(email, { excludeResources: ['Visit', 'Note', 'Mark'] })
      expect(again).toMatchObject({ alreadyErased: true, id: first.id })
      expect(again.affectedResources.map(({ excluded }: { excluded: boolean }) => excluded)).toEqual([
        true,
        true,
        true,
      ])
      const second = await erase(email, { excludeResources: ['Note'] })
      expect(
        second.affectedResources.map(({ resource }: { resource: string }) => resource).toSorted(),
      ).toEqual(['Mark', 'Note', 'Visit'])
      expect([(await shown(`visits/${visit}`)).complaint, (await shown(`notes/${note}`)).text]).toEqual([
        null,
        expect.stringMatching(/^noted/),
      ])
      await erase(email)
      expect((await shown(`notes/${note}`)).text).toBeNull()
    })

    it('P9: where what it leads to was removed it is found too', async () => {
      const { email, visit, mark } = await person()
      await erase(email, { method: 'delete', excludeResources: ['Mark'] })
      expect(await shown(`visits/${visit}`)).toBeUndefined()
      expect(await shown(`marks/${mark}`)).toMatchObject({ visitId: null })
      expect((await access(email)).resources.Mark).toHaveLength(1)
      await erase(email, { method: 'delete' })
      expect((await shown(`marks/${mark}`)).remark).toBeNull()
    })

    it('P13: of somebody who was pseudonymized it is found by the pseudonym as well', async () => {
      const { email, patient, visit, mark } = await person()
      await erase(email, { method: 'pseudonymize', excludeResources: ['Visit', 'Mark'] })
      const { name } = await shown(`patients/${patient}`)
      for (const identifier of [email, name]) {
        const { resources } = await access(identifier)
        expect([identifier, Object.keys(resources).toSorted()]).toEqual([
          identifier,
          ['Mark', 'Note', 'Patient', 'Visit'],
        ])
      }
      await erase(name, { method: 'pseudonymize' })
      expect([
        (await shown(`visits/${visit}`)).complaint,
        (await shown(`marks/${mark}`)).remark,
        (await shown(`patients/${patient}`)).name,
      ]).toEqual([null, null, name])
    })

    it('P8: by one method after the other it is one person still', async () => {
      const { email, phone, visit, note, mark } = await person()
      await erase(email, { excludeResources: ['Visit', 'Note', 'Mark'] })
      await erase(email, { method: 'pseudonymize', excludeResources: ['Note', 'Mark'] })
      await erase(email, { method: 'anonymize', excludeResources: ['Mark'] })
      await erase(phone)
      expect([
        (await shown(`visits/${visit}`)).complaint,
        (await shown(`notes/${note}`)).text,
        (await shown(`marks/${mark}`)).remark,
      ]).toEqual([null, null, null])
    })

    it('P9, P14: records of an account that goes are found by its address', async () => {
      const account = await server().account('nell', ['clerk'])
      const staff = await make('staff', { title: 'x', diary: 'dear diary', userId: account.id })
      const email = 'nell@example.org'
      await erase(email, { account: true, excludeResources: ['Staff'] })
      expect((await access(email)).resources.Staff).toHaveLength(1)
      await erase(email)
      expect((await shown(`staff/${staff}`)).diary).toBeNull()
    })

    it('P5: belongs to whom it comes to lead to, and to nobody else by what people share', async () => {
      const one = await person()
      const two = await person()
      await send('PATCH', `${BASE}/patients/${two.patient}`, { phone: one.phone })
      await erase(one.email, { excludeResources: ['Visit'] })
      expect((await access(two.email)).resources.Visit.map(({ id }: { id: string }) => id)).toEqual([
        two.visit,
      ])
      expect((await access(one.phone)).resources.Visit.map(({ id }: { id: string }) => id)).toEqual([
        two.visit,
      ])
      await send('PATCH', `${BASE}/visits/${one.visit}`, { patientId: two.patient })
      expect((await access(two.email)).resources.Visit).toHaveLength(2)
      expect((await erase(one.email)).alreadyErased).toBe(true)
      expect((await shown(`visits/${one.visit}`)).complaint).not.toBeNull()
      await erase(two.email)
      expect((await shown(`visits/${one.visit}`)).complaint).toBeNull()
    })

    it('P5: what is led to somebody else beside the erase is theirs', async () => {
      const second = await startSecond(server().database, server().clock, [], {})
      onTestFinished(() => second.stop())
      const bob = await person()
      for (let round = 0; round < ROUNDS; round += 1) {
        const { email, visit } = await person()
        const { complaint } = await shown(`visits/${visit}`)
        await Promise.all([
          erase(email, { excludeResources: ['Visit'] }),
          second.request('PATCH', `${BASE}/visits/${visit}`, {
            token: dpo.token,
            body: { patientId: bob.patient },
          }),
        ])
        await erase(email)
        expect([round, await shown(`visits/${visit}`)]).toMatchObject([
          round,
          { patientId: bob.patient, complaint },
        ])
      }
    })

    it('P14: is erased from ledgers where it was removed meanwhile', async () => {
      const { email, visit } = await person()
      const { complaint } = await shown(`visits/${visit}`)
      await erase(email, { excludeResources: ['Visit'] })
      expect((await send('DELETE', `${BASE}/visits/${visit}`)).status).toBe(204)
      const kept = async () => JSON.stringify([...(await rowsKept(server().database))]).includes(complaint)
      expect(await kept()).toBe(true)
      expect((await erase(email)).alreadyErased).toBeUndefined()
      expect(await kept()).toBe(false)
      expect((await erase(email)).alreadyErased).toBe(true)
    })

    it('P20: can be restricted, and outlives another definition', async () => {
      const { email, visit } = await person()
      await erase(email, { excludeResources: ['Visit'] })
      await server().submit(practice('2'))
      await server().submit(practice('3').replace('room: string', 'chamber: string'), {
        allow_destructive: true,
      })
      const restricted = await send('POST', about(email, '/restrict'), { reason: 'x' })
      expect(restricted.body.data.records).toBeGreaterThan(0)
      expect((await send('DELETE', `${BASE}/visits/${visit}`)).body.error_code).toBe('RESTRICTED')
      await erase(email)
      expect((await shown(`visits/${visit}`)).complaint).toBeNull()
      expect((await send('DELETE', `${BASE}/visits/${visit}`)).status).toBe(204)
    })
  })
}
