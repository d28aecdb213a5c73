import { describe, expect, it } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { behind } from '../../kit/behind.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { clinic, config, PATIENTS, sender, VARIABLE } from './clinic.ts'

const ANN = {
  name: 'Ann',
  ssn: 'canary-ssn-1',
  email: 'canary-one@example.org',
  ward: 'canary-west',
  born: '1961-02-03',
  note: 'canary-note with "quotes" and \u{1f98a}',
  weight: 61.25,
  file: { allergies: ['canary-nuts'], n: 4711 },
}

for (const store of STORES) {
  describe(`encryption at rest on ${store.name}`, () => {
    const server = useTestKernel({ store, config, definition: clinic() })
    const send = sender(server)
    const names = async (query: string) => {
      const { status, body } = await send('GET', `${PATIENTS}?sort=name&${query}`)
      return status === 200 ? body.data.items.map(({ name }: { name: string }) => name) : body.error_code
    }
    let id = ''

    it('E3, E4: answers what was written, on every way in and out', async () => {
      const created = await send('POST', PATIENTS, ANN)
      expect([created.status, created.body.data]).toEqual([201, expect.objectContaining(ANN)])
      ;({ id } = created.body.data)
      const items = [
        { name: 'Bob', ssn: 'canary-ssn-2', email: 'canary-two@example.org', ward: 'canary-west' },
        { name: 'Cid' },
        { name: 'Dan', ssn: 'canary-ssn-4', ward: 'canary-east' },
      ]
      expect((await send('POST', `${PATIENTS}/bulk`, { items })).body.data).toMatchObject({ created: 3 })
      expect((await send('GET', `${PATIENTS}/${id}`)).body.data).toMatchObject(ANN)
      const patched = await send('PATCH', `${PATIENTS}/${id}`, { note: 'canary-other', weight: null })
      expect(patched.body.data).toMatchObject({ ...ANN, note: 'canary-other', weight: null })
      expect(String((await send('GET', `${PATIENTS}/export`)).body)).toContain('canary-ssn-4')
      await send('POST', '/api/v1/clinic/visits', { patientId: id, at: '2026-01-01' })
      const visits = await send('GET', '/api/v1/clinic/visits?include=patient')
      expect(visits.body.data.items[0].patient).toMatchObject({ ssn: ANN.ssn, born: ANN.born })
      expect((await send('GET', `${PATIENTS}?fields=note&sort=name&limit=1`)).body.data.items).toEqual([
        expect.objectContaining({ note: 'canary-other' }),
      ])
    })

    it('E3, 9.3: tells of an event what a value was, as it tells what it is', async () => {
      const { body } = await send('GET', `/api/v1/domains/clinic/events?id=${id}&action=updated`)
      expect(body.data.items).toHaveLength(1)
      const [{ record, previous }] = body.data.items
      expect(record).toMatchObject({ ...ANN, note: 'canary-other', weight: null })
      expect(previous).toMatchObject(ANN)
    })

    it('E4: a blind index finds equal values where the field is unique, identifies, or is alone in an index', async () => {
      expect(await names('filter[ssn]=canary-ssn-1')).toEqual(['Ann'])
      expect(await names('filter[ssn][ne]=canary-ssn-1')).toEqual(['Bob', 'Cid', 'Dan'])
      expect(await names('filter[ssn][in]=canary-ssn-1,canary-ssn-4')).toEqual(['Ann', 'Dan'])
      expect(await names('filter[email]=canary-two@example.org')).toEqual(['Bob'])
      expect(await names('filter[ward]=canary-west')).toEqual(['Ann', 'Bob'])
      expect(await names('filter[ward][null]=true')).toEqual(['Cid'])
      const visits = await send('GET', '/api/v1/clinic/visits?filter[patient.ssn]=canary-ssn-1')
      expect(visits.body.data.count).toBe(1)
      const wards = await send('GET', `${PATIENTS}/distinct/ward`)
      expect(wards.body.data.values).toEqual([null, 'canary-east', 'canary-west'])
      const ssns = await send('GET', `${PATIENTS}/distinct/ssn?filter[ward]=canary-west`)
      expect(ssns.body.data.values).toEqual(['canary-ssn-1', 'canary-ssn-2'])
    })

    it('E4: unique holds, names the field, and finds what an upsert brings again', async () => {
      const again = await send('POST', PATIENTS, { name: 'Eve', ssn: ANN.ssn })
      expect([again.status, again.body.error_code]).toEqual([409, 'DUPLICATE'])
      expect(again.body.errors).toMatchObject([{ field: 'ssn', rule: 'unique' }])
      const upsert = { items: [{ ssn: 'canary-ssn-4', note: 'canary-dan' }], upsert: true, conflict: ['ssn'] }
      const { body } = await send('POST', `${PATIENTS}/bulk`, upsert)
      expect(body.data).toMatchObject({ created: 0, updated: 1 })
      expect((await send('GET', `${PATIENTS}?filter[ssn]=canary-ssn-4`)).body.data.items).toMatchObject([
        { name: 'Dan', note: 'canary-dan' },
      ])
    })

    it('E4: every other operator, and every one elsewhere but null, is INVALID_QUERY', async () => {
      for (const operator of ['[gt]', '[gte]', '[lt]', '[lte]', '[like]'])
        expect([operator, await names(`filter[ssn]${operator}=canary`)]).toEqual([operator, 'INVALID_QUERY'])
      for (const operator of ['', '[ne]', '[in]', '[gt]', '[like]'])
        expect([operator, await names(`filter[note]${operator}=canary`)]).toEqual([operator, 'INVALID_QUERY'])
      expect(await names('filter[note][null]=false')).toEqual(['Ann', 'Dan'])
      expect((await send('GET', `${PATIENTS}/distinct/note`)).body.error_code).toBe('INVALID_QUERY')
    })

    it('E4: sort is ignored with a warning, and search does not look there', async () => {
      const sorted = await send('GET', `${PATIENTS}?sort=ssn`)
      expect([sorted.status, sorted.body.warnings]).toEqual([
        200,
        [expect.objectContaining({ rule: 'ignored' })],
      ])
      expect((await send('GET', `${PATIENTS}?search=canary`)).body.data.items).toEqual([])
    })

    it.each([
      ['a scope', { more: `defaultScope: mine\n      scopes: { mine: { filter: "ssn = 'x'" } }` }],
      [
        'a rule on rows',
        {
          others: `Ward:\n      object: { code: { type: string, privacy: { encrypted: true } } }\n      permissions: { list: "code == 'x'" }`,
        },
      ],
    ])('E4: what becomes SQL may ask for null alone: %s', async (_, parts) => {
      const submit = (content: string) => send('POST', '/api/v1/domains/clinic/preview', { content })
      const refused = await submit(clinic({ version: '2', ...parts }))
      expect([refused.status, refused.body.error_code]).toEqual([422, 'PARSE_ERROR'])
      const asked = clinic({ version: '2', ...parts })
        .replace("ssn = 'x'", 'ssn IS NULL')
        .replace("code == 'x'", 'isNull(code)')
      expect((await submit(asked)).status).toBe(200)
    })

    it('E5: keeps nothing in the clear, and no key', async () => {
      const kept = await everythingKept(server().database)
      expect(kept).toContain('Dan')
      expect([...new Set(kept.match(/canary-[\w-]+/g))]).toEqual([])
      for (const value of ['1961-02-03', '61.25', '4711']) expect(kept).not.toContain(value)
      const [, key = ''] = String(process.env[VARIABLE]).split(':')
      expect(kept).not.toContain(key)
      expect(kept).not.toContain(Buffer.from(key, 'base64').toString('latin1'))
    })

    it('E3, E6: a value moved to another record or field does not decrypt, is logged, and is no null', async () => {
      const { body } = await send('GET', `${PATIENTS}?filter[name]=Bob`)
      const bob = body.data.items[0].id
      const moves = [
        `update clinic_patient set ssn = (select ssn from clinic_patient where id = '${id}') where id = '${bob}'`,
        `update clinic_patient set ssn = (select ward from clinic_patient where id = '${bob}') where id = '${bob}'`,
        `update clinic_patient set ssn = 'canary' where id = '${bob}'`,
      ]
      for (const move of moves) {
        await behind(server().database, move)
        const found = await send('GET', `${PATIENTS}/${bob}`)
        expect([found.status, found.body.error_code]).toEqual([500, 'INTERNAL_ERROR'])
        expect((await send('GET', PATIENTS)).status).toBe(500)
        const told = server().log.filter(({ level }) => level === 'error')
        expect(told.length).toBeGreaterThan(0)
        expect(JSON.stringify(told)).not.toContain('canary-')
      }
    })
  })
}
