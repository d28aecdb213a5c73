import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const WARD = `
domain:
  name: ward
  version: '1'
  privacy:
    permissions: [admin]
    subjectIdentifier: { primary: email }
    classifications: { health: {}, money: {} }
    anonymization: { rules: { Visit.fee: $pseudonym } }
    retention: [{ category: money, hold: true, regulation: HGB, resources: [Visit], when: room == 'held' }]
  resources:
    Person:
      object: { email: { type: email, privacy: { subjectIdentifier: true } } }
      permissions: ${OPEN}
    Visit:
      features: { audit: true, versioning: true }
      object:
        room: string
        complaint: { type: string, privacy: { classification: health } }
        fee: { type: string, privacy: { classification: money } }
      relationships: { person: { type: belongsTo, target: Person } }
      permissions: ${OPEN}
    Remark:
      object: { of: string, text: { type: string, privacy: { pii: true } } }
      relationships: { person: { type: belongsTo, target: Person } }
      permissions: ${OPEN}
      history: { events: { told: { on: update, label: 'told {text}', capture: [text] } } }
`

const LEDGERS = { visits: ['audit', 'versions'], remarks: ['history'] } as const

for (const store of STORES)
  describe(`what records have lost before an erase on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: WARD })
    const done = async (method: string, path: string, body?: unknown) => {
      const answer = await server().request(method, `/api/v1/ward/${path}`, {
        token: server().admin,
        ...(body !== undefined && { body }),
      })
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body?.data
    }
    const person = async (name: string): Promise<string> =>
      (await done('POST', 'people', { email: `${name}@example.org` })).id
    const erase = (name: string, body: object = {}) =>
      done('POST', `privacy/subject/${name}@example.org/erase`, {
        reason: 'x',
        method: 'pseudonymize',
        ...body,
      })
    const make = async (path: keyof typeof LEDGERS, body: object) =>
      ({ path, at: `${path}/${(await done('POST', path, body)).id}` }) as const
    const ledgers = async ({ path, at }: Awaited<ReturnType<typeof make>>): Promise<string> => {
      const found = []
      for (const what of LEDGERS[path]) found.push((await done('GET', `${at}/${what}`)).items)
      return JSON.stringify(found)
    }

    it.each([
      ['visits', 'complaint'],
      ['remarks', 'text'],
    ] as const)(
      'P14, P18: is erased of those who are pseudonymized, once, from the ledgers of %s',
      async (path, field) => {
        const personId = await person(path)
        const one = await make(path, { [field]: 'canary first', personId })
        const bare = await make(path, { personId })
        const { id } = await erase(path)
        expect(await erase(path)).toMatchObject({ id, alreadyErased: true })
        for (const value of ['canary second', null]) await done('PATCH', one.at, { [field]: value })
        await done('PATCH', bare.at, path === 'visits' ? { room: '1' } : { of: 'nobody' })
        await make(path, { personId })
        expect(await ledgers(one)).toContain('canary second')
        const retained = { retainAudit: true, retainHistory: true }
        expect(await erase(path, retained)).toMatchObject({ id, alreadyErased: true })
        for (const dryRun of [true, false])
          expect(await erase(path, { dryRun })).not.toHaveProperty('alreadyErased')
        expect(await ledgers(one)).not.toContain('canary')
        for (const dryRun of [true, false])
          expect(await erase(path, { dryRun })).toMatchObject({ id, alreadyErased: true })
      },
    )

    it('P17: stays where its category is held, and goes where another one is', async () => {
      const personId = await person('held')
      const one = await make('visits', { complaint: 'canary 4711', fee: 'the fee of 12', personId })
      await done('PATCH', one.at, { complaint: null, fee: null })
      await done('PATCH', one.at, { room: 'held' })
      await erase('held', { dryRun: true, reason: 'canary 4711 and the fee of 12' })
      await erase('held', { method: 'anonymize' })
      const left = await ledgers(one)
      expect([left.includes('canary'), left.split('the fee of 12').length]).toEqual([false, 4])
      const { items } = await done('GET', 'privacy/log?action=erase&limit=2')
      expect(items.map(({ reason }: { reason: string }) => reason)).toEqual([
        'x',
        '[erased] and the fee of 12',
      ])
    })

    it('P17: stays where it is held in a record that bears a pseudonym by now', async () => {
      const personId = await person('bearing')
      const one = await make('visits', { fee: 'the fee', personId })
      await erase('bearing')
      const { fee } = await done('GET', one.at)
      for (const value of ['another fee', fee])
        await done('PATCH', one.at, { fee: value, complaint: value === fee ? null : 'canary' })
      await done('PATCH', one.at, { room: 'held' })
      expect(await erase('bearing')).not.toHaveProperty('alreadyErased')
      const left = await ledgers(one)
      expect([left.includes('canary'), left.includes('another fee')]).toEqual([false, true])
      expect(await erase('bearing')).toHaveProperty('alreadyErased', true)
    })
  })
