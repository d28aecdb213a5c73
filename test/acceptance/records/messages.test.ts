import { DomainsCapability, invalid, plainSpeaker } from '@svc/domain/contract'
import { createKernel, definePlugin } from '@svc/kernel'
import { standardPlugins } from '@svc/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'

const INN = `
domain:
  name: inn
  version: '1'
  resources:
    Booking:
      features: { import: true }
      object:
        from: { type: date, required: true, label: { en: Arrival, de: Anreise } }
        to: { type: date, required: true, label: { de: Abreise } }
        guests: { type: integer, min: 1, label: Guests }
        code: { type: string, minLength: 3, unique: true, enum: [abc, abd] }
      validation:
        order:
          expression: to > from
          message: { en: 'You leave after {label} {{sic}}', de: Die Abreise liegt nach der Anreise }
          fields: [from]
        few: guests == null or guests < 9
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const BOOKINGS = '/api/v1/inn/bookings'
const BACKWARDS = { from: '2026-05-02', to: '2026-05-01' }
const FORWARDS = { from: '2026-05-01', to: '2026-05-02' }

for (const store of STORES) {
  describe(`messages on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: INN })
    const send = (method: string, path: string, language: string, body: unknown) =>
      server().request(method, path, {
        token: server().admin,
        body,
        ...(language !== '' && { headers: { 'accept-language': language } }),
      })
    const German = [
      { field: 'from', label: 'Anreise', message: 'Die Abreise liegt nach der Anreise', rule: 'order' },
    ]
    const English = [
      { field: 'from', label: 'Arrival', message: 'You leave after Arrival {sic}', rule: 'order' },
    ]

    it('are answered in the language of the caller, who is told which that is', async () => {
      const { status, body, headers } = await send('POST', BOOKINGS, 'de-AT, en;q=0.5', BACKWARDS)
      expect(status).toBe(422)
      expect(body.errors).toEqual(German)
      expect(body._meta).toEqual({ locale: 'de-AT', localeResolved: 'de' })
      expect([headers.get('content-language'), headers.get('vary')]).toEqual([
        'de',
        expect.stringContaining('Accept-Language'),
      ])
      expect((await send('POST', BOOKINGS, 'fr', BACKWARDS)).body).toMatchObject({
        errors: English,
        _meta: { locale: 'fr', localeResolved: 'en' },
      })
      expect((await send('POST', BOOKINGS, '', BACKWARDS)).body).toMatchObject({
        errors: English,
        _meta: { locale: 'en', localeResolved: 'en' },
      })
    })

    it('are in that language on updates, in bulk and in imports too', async () => {
      const { body: made } = await send('POST', BOOKINGS, 'de', FORWARDS)
      const path = `${BOOKINGS}/${made.data.id}`
      expect((await send('PATCH', path, 'de', { to: '2026-04-01' })).body.errors).toEqual(German)
      expect((await send('PUT', path, 'de', BACKWARDS)).body.errors).toEqual(German)
      for (const bulk of [`${BOOKINGS}/bulk`, `${BOOKINGS}/import`]) {
        const { status, body } = await send('POST', bulk, 'de', { items: [FORWARDS, BACKWARDS] })
        expect([status, body.data.created, body.data.failed]).toEqual([201, 1, 1])
        expect(body.data.errors[0].errors).toEqual(German)
        expect(body._meta).toEqual({ locale: 'de', localeResolved: 'de' })
      }
      const changes = { ids: [made.data.id], data: { to: '2026-04-01' } }
      const { body } = await send('PATCH', `${BOOKINGS}/bulk`, 'de', changes)
      expect(body.data.errors[0].errors).toEqual(German)
    })

    it('say in English what nobody has said otherwise, and never what they are made of', async () => {
      const wrong = { from: 'x', guests: 0, code: 'zz', other: 1 }
      const { body } = await send('POST', BOOKINGS, 'de', wrong)
      expect(body.errors).toEqual([
        { field: 'other', rule: 'unknown', message: "'Booking' has no field 'other'" },
        { field: 'from', label: 'Anreise', rule: 'format', message: 'must be a date as YYYY-MM-DD' },
        { field: 'guests', label: 'Guests', rule: 'min', message: 'must be 1 or more' },
        { field: 'code', rule: 'minLength', message: 'must be at least 3 characters long' },
        { field: 'code', rule: 'enum', message: 'must be one of abc, abd' },
        { field: 'to', label: 'Abreise', rule: 'required', message: "'to' is required" },
      ])
      const few = await send('POST', BOOKINGS, 'de', { ...FORWARDS, guests: 9 })
      expect(few.body.errors).toEqual([
        { field: '', rule: 'few', message: "'guests == null or guests < 9' does not hold" },
      ])
      await send('POST', BOOKINGS, 'de', { ...FORWARDS, code: 'abc' })
      const twice = await send('POST', BOOKINGS, 'de', { ...FORWARDS, code: 'abc' })
      expect(twice.body.errors).toEqual([{ field: 'code', rule: 'unique', message: "'code' is taken" }])
      const signIn = await send('POST', '/api/v1/auth/login', 'de', { username: 1 })
      expect(signIn.status).toBe(422)
      expect(JSON.stringify([body, few.body, twice.body, signIn.body])).not.toContain('params')
    })

    it('fill in what a value says once, whatever stands in it', async () => {
      const { body } = await send('POST', BOOKINGS, '', { ...FORWARDS, '{rule}{{': 1 })
      expect(body.errors[0].message).toBe("'Booking' has no field '{rule}{{'")
    })

    it('answer the schema in the language of the caller', async () => {
      const path = '/api/v1/domains/inn/schema'
      const { body, headers } = await server().request('GET', path, { headers: { 'accept-language': 'de' } })
      expect(body.data.resources.Booking.fields.from.label).toBe('Anreise')
      expect([body._meta, headers.get('content-language')]).toEqual([
        { locale: 'de', localeResolved: 'de' },
        'de',
      ])
    })
  })

  describe(`a block that refuses on ${store.name}`, () => {
    const text = { en: 'at most {limit}, {label}', de: 'höchstens {limit}, {label}' }
    const refuser = definePlugin({
      name: 'limiter',
      phase: 'domain',
      requires: { domains: DomainsCapability },
      setup: ({ domains }) =>
        domains.block({
          on: 'domain',
          key: 'limiter',
          schema: z.unknown(),
          compile: () => ({
            beforeWrite(change) {
              if (change.values['guests'] !== 7) return
              const fault = {
                field: 'guests',
                rule: 'limit',
                message: 'too many',
                params: { limit: 6 },
                text,
              }
              throw invalid(change, [fault])
            },
          }),
        }),
    })
    const server = useTestKernel({ store, plugins: [refuser], definition: INN })

    it('is heard in the language of the caller, in rows of a bulk too', async () => {
      const told = [{ field: 'guests', label: 'Guests', rule: 'limit', message: 'höchstens 6, Guests' }]
      const send = async (path: string, body: unknown) =>
        server().request('POST', path, {
          token: server().admin,
          headers: { 'accept-language': 'de' },
          body,
        })
      const row = { ...FORWARDS, guests: 7 }
      expect((await send(BOOKINGS, row)).body.errors).toEqual(told)
      const { body } = await send(`${BOOKINGS}/bulk`, { items: [row, FORWARDS] })
      expect([body.data.created, body.data.errors[0].errors]).toEqual([1, told])
    })
  })

  describe(`a plugin that says messages on ${store.name}`, () => {
    const catalogue = new Map([['min', '{label}: mindestens {limit}']])
    const translator = definePlugin({
      name: 'translator',
      phase: 'domain',
      requires: { domains: DomainsCapability },
      setup: ({ domains }) =>
        domains.speak((domain) => {
          const plain = plainSpeaker(domain)
          return {
            ...plain,
            fault(fault, locale, about) {
              const message = catalogue.get(fault.rule)
              const isGerman = locale.locale.startsWith('de')
              return plain.fault(isGerman && message ? { ...fault, message } : fault, locale, about)
            },
          }
        }),
    })
    const server = useTestKernel({ store, without: ['localization'], plugins: [translator], definition: INN })

    it('says them from their rule and what they are made of', async () => {
      const body = { ...FORWARDS, guests: 0 }
      const said = async (language: string) => {
        const headers = { 'accept-language': language }
        const answer = await server().request('POST', BOOKINGS, { token: server().admin, headers, body })
        return answer.body.errors.map(({ message }: { message: string }) => message)
      }
      expect(await said('de')).toEqual(['Guests: mindestens 1'])
      expect(await said('fr')).toEqual(['must be 1 or more'])
    })

    it('is the only one', async () => {
      const second = { ...translator, name: 'other-translator' }
      const database = await store.open()
      const config = { ...database.config(), rest: { port: 0 }, auth: { jwt: { secret: SECRET } } }
      const kernel = createKernel({ config, plugins: [...standardPlugins(config), translator, second] })
      await expect(kernel.start()).rejects.toThrow(/chooses texts/)
      await database.drop()
    })
  })
}
