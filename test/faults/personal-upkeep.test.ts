import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { clinic as vault, config as own, ENCRYPTION, PATIENTS } from '../acceptance/privacy/clinic.ts'
import { BASE, clinic } from '../acceptance/privacy/practice.ts'
import { pass, QUIET, tick } from '../acceptance/workflows/desk.ts'
import { rowsKept } from '../kit/at-rest.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { SECRET, type TestKernel, useTestKernel } from '../kit/test-kernel.ts'
import { Weak } from '../kit/weak.ts'

// What is done to personal data without anybody's asking, or to all of it at once, with a failure at each of its statements in turn.

/** Every how many statements one fails. */
const STRIDE = size('STATEMENTS_STRIDE', { smoke: 11, whole: 1 })
/** Nothing here takes so many. */
const MANY = 400
const DAY = 86_400
const RECORDS = 6

/** A mark of the definition that is in force, which follows it. */
const FOLLOWS = 'clinic__privacy__restricting'

/** All rows of the domain, by their tables. */
const kept = async (server: TestKernel) =>
  new Map(
    [...(await rowsKept(server.database))].filter(([name]) => name.startsWith('clinic') && name !== FOLLOWS),
  )

for (const store of STORES) {
  describe(`a sweep of which a statement fails, on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: clinic({ privacy: 'retention: [{ category: contact, duration: 1y, action: anonymize }]' }),
      config: {
        ...QUIET,
        auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000_000 } },
      },
    })

    it('P24: leaves all of a slice as it was, or is whole', async () => {
      const { token } = await server().account('keeper', ['dpo'])
      const send = (path: string, body: object) =>
        server().request('POST', `${BASE}/${path}`, { token, body })
      const items = Array.from({ length: RECORDS }, (_, at) => ({ name: 'S', phone: `+4930100${1000 + at}` }))
      await send('patients/bulk', { items })
      server().clock.advance(400 * DAY * 1000)
      const before = await kept(server())
      const weak = new Weak(server().kernel.get(StoreCapability))
      for (let n = 1, refused = 0; n < MANY; n += STRIDE) {
        const [{ status }, isMet] = await weak.failing(n, 'fails', () => send('privacy/retention', {}))
        const after = await kept(server())
        if (status === 500 && after.get('clinic__privacy__swept') === '[]') {
          refused += 1
          expect([n, isMet]).toEqual([n, true])
          expect(after).toEqual(before)
          continue
        }
        // What fails behind the slice has not undone it: it is whole, and on record.
        expect([n, refused > 1, isMet ? 500 : 200]).toEqual([n, true, status])
        expect(JSON.parse(after.get('clinic__privacy__swept') ?? '[]').length).toBe(RECORDS)
        expect([...after.values()].join(' ')).not.toContain('+4930100')
        const log = JSON.parse(after.get('clinic__privacy__log') ?? '[]')
        expect(log.map(({ action }: { readonly action: string }) => action)).toEqual(['sweep'])
        expect((await send('privacy/retention', {})).body.data.items).toMatchObject([{ due: 0, done: 0 }])
        return
      }
      throw new Error('there is no end to the statements')
    }, 120_000)
  })

  describe(`keys that are exchanged while statements fail, on ${store.name}`, () => {
    const config = { ...own, ...QUIET }
    const privacy = ENCRYPTION.replace(' }', ', keyRotation: 30d }')
    const server = useTestKernel({ store, config, definition: vault({ privacy }) })
    const send = (method: string, path: string, body?: object) =>
      server().request(method, path, { token: server().admin, ...(body && { body }) })
    const heads = async () => {
      const rows = (await rowsKept(server().database)).get('clinic_patient') ?? ''
      return new Set(rows.match(/(?<=")e1[0-9a-f]{8}/g))
    }

    it('E3: leave every value under one key or the other, and are exchanged in the end', async () => {
      const items = Array.from({ length: RECORDS }, (_, at) => ({
        name: `p${at}`,
        ssn: `s${at}`,
        note: `n${at}`,
      }))
      expect((await send('POST', `${PATIENTS}/bulk`, { items })).status).toBe(201)
      const shown = async () => (await send('GET', `${PATIENTS}?sort=name`)).body.data.items
      const before = await shown()
      const weak = new Weak(server().kernel.get(StoreCapability))
      for (let n = 1, turn = 1, met = 0; n < MANY; n += STRIDE, turn += 1) {
        weak.arm(n, 'fails')
        await pass(server(), 31 * DAY).catch(() => undefined)
        await pass(server(), 121).catch(() => undefined)
        await tick(server()).catch(() => undefined)
        const isMet = weak.heal()
        expect([n, await shown()]).toEqual([n, before])
        for (const { ssn } of items)
          expect((await send('GET', `${PATIENTS}?filter[ssn]=${ssn}`)).body.data.items.length).toBe(1)
        const newest = `e1${(turn + 1).toString(16).padStart(8, '0')}`
        await expect
          .poll(
            async () => {
              await pass(server(), 61)
              return [...(await heads())]
            },
            { timeout: 20_000 },
          )
          .toEqual([newest])
        expect(await shown()).toEqual(before)
        if (isMet) met += 1
        else return void expect(met).toBeGreaterThan(1)
      }
      throw new Error('there is no end to the statements')
    }, 240_000)
  })

  describe(`a field that comes to be encrypted while statements fail, on ${store.name}`, () => {
    const config = { ...own, ...QUIET }
    const version = (number: number, flag: string) =>
      vault({
        version: String(number),
        object: `name: string
        ssn: { type: string, unique: true${flag} }
        note: { type: text${flag} }`,
        more: `history: { events: { came: { on: create, capture: [ssn], label: '{name} has {ssn}' } } }`,
      })
    const server = useTestKernel({ store, config, definition: version(1, '') })
    const send = (method: string, path: string, body?: object) =>
      server().request(method, path, { token: server().admin, ...(body && { body }) })

    it.each([
      ['encryptColumn', 2, ', privacy: { encrypted: true }'],
      ['decryptColumn', 3, ''],
    ])(
      'E6: %s leaves all as it was, or is whole, ledgers included',
      async (_, number, flag) => {
        const items = Array.from({ length: RECORDS }, (_, at) => ({
          name: `p${at}`,
          ssn: `canary${number}s${at}`,
          note: `canary${number}n${at}`,
        }))
        expect((await send('POST', `${PATIENTS}/bulk`, { items })).status).toBe(201)
        const shown = async () => (await send('GET', `${PATIENTS}?sort=ssn,name&limit=50`)).body.data.items
        const patients = await shown()
        const before = await kept(server())
        const isClear = async () => [...(await kept(server())).values()].join(' ').includes('canary')
        expect(await isClear()).toBe(flag !== '')
        const weak = new Weak(server().kernel.get(StoreCapability))
        for (let n = 1, refused = 0; n < MANY; n += STRIDE) {
          const [{ status }, isMet] = await weak.failing(n, 'fails', () =>
            send('POST', '/api/v1/domains', { content: version(number, flag) }),
          )
          if (status >= 500) {
            refused += 1
            expect([n, isMet]).toEqual([n, true])
            expect(await kept(server())).toEqual(before)
            expect(new Set(await shown())).toEqual(new Set(patients))
            continue
          }
          expect([n, status, refused > 1]).toEqual([n, 201, true])
          expect(await isClear()).toBe(flag === '')
          expect(new Set(await shown())).toEqual(new Set(patients))
          return
        }
        throw new Error('there is no end to the statements')
      },
      240_000,
    )
  })
}
