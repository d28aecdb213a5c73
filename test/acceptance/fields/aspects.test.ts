import { createKernel, definePlugin, type Plugin } from '@svc/kernel'
import { DomainsCapability } from '@svc/domain/contract'
import { standardPlugins } from '@svc/server'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { plugin } from '../../fixtures/aspects/aspects.ts'
import { everythingKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'

const SPOT = new URL('../../fixtures/third-party-plugin/spot.js', import.meta.url).href
const { plugin: spot }: { readonly plugin: Plugin } = await import(SPOT)

const club = (object: string, version = '1', more = '') => `
domain:
  name: club
  version: '${version}'
  resources:
    Member:
      features: { search: true, audit: true }
      object:
        name: string
        ${object}
      ${more}
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const MEMBERS = '/api/v1/club/members'
const SEALED = 'note: { type: string, privacy: { encrypted: true } }'
const OPEN = 'note: string'

for (const store of STORES) {
  describe(`attributes that a plugin adds to every field on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      plugins: [plugin, spot],
      without: ['privacy'],
      definition: club(SEALED),
    })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const submit = async (object: string, more = '') => {
      const content = club(object, '9', more)
      const { status, body } = await send('POST', '/api/v1/domains', { content })
      return { status, errors: body.errors ?? [], warnings: body.warnings ?? [] }
    }
    const keeps = async (word: string) => (await everythingKept(server().database)).includes(word)
    const notes = async () => {
      const { body } = await send('GET', `${MEMBERS}?sort=name`)
      return body.data.items.map(({ note }: { note: string | null }) => note)
    }

    it('change how a field is kept, and with that how it can be looked for', async () => {
      const { status, body } = await send('POST', MEMBERS, { name: 'Ann', note: 'canary one' })
      expect([status, body.data.note]).toEqual([201, 'canary one'])
      expect(await keeps('canary')).toBe(false)
      expect((await send('GET', `${MEMBERS}?filter[note]=x`)).body.error_message).toContain('use one of null')
      expect((await send('GET', `${MEMBERS}?search=canary`)).body.data.count).toBe(0)
      expect((await send('GET', `${MEMBERS}?sort=note`)).body.warnings[0].rule).toBe('ignored')
      const twice = { items: [{ note: 'canary one' }], upsert: true, conflict: ['note'] }
      expect((await send('POST', `${MEMBERS}/bulk`, twice)).body.errors[0]).toMatchObject({
        field: 'conflict',
        rule: 'unknown',
      })
      expect((await send('GET', `${MEMBERS}/distinct?field=note`)).status).toBe(400)
    })

    it('are refused where something would be compared', async () => {
      const unique = await submit('note: { type: string, unique: true, privacy: { encrypted: true } }')
      expect([unique.status, unique.errors[0].path]).toEqual([422, 'domain.resources.Member.object.note'])
      const indexed = await submit(SEALED, 'indexes: [{ fields: [note] }]')
      expect([indexed.status, indexed.errors[0].path]).toEqual([422, 'domain.resources.Member.object.note'])
      const inside = await submit(
        'box: { type: component, fields: { note: { type: string, privacy: { encrypted: true } } } }',
      )
      expect([inside.status, inside.errors[0].path]).toEqual([
        422,
        'domain.resources.Member.object.box.fields.note.type',
      ])
    })

    it('are part of the language: what is misspelt or wrong is told at its place', async () => {
      const wrong = await submit('note: { type: string, tone: shrill, privacy: { encrypted: 1 } }')
      expect(wrong.errors.map(({ path }: { path: string }) => path)).toEqual([
        'domain.resources.Member.object.note.tone',
        'domain.resources.Member.object.note.privacy.encrypted',
      ])
      const senseless = await submit('age: { type: integer, tone: loud }')
      expect(senseless.errors[0]).toMatchObject({
        path: 'domain.resources.Member.object.age.tone',
        message: expect.stringContaining("'integer' has no tone"),
      })
      const preview = await send('POST', '/api/v1/domains/club/preview', {
        content: club('note: { type: string, tome: loud, privacy: { resaon: x, encrypted: true } }', '9'),
      })
      expect(JSON.stringify(preview.body.warnings)).toMatch(/'tone'.*'reason'/)
      expect(JSON.stringify(preview.body.warnings)).not.toContain('means nothing')
      const { body: schema } = await send('GET', '/api/v1/definition.schema.json')
      const field = schema.$defs.Field.anyOf.find(({ type }: { type: string }) => type === 'object')
      expect(field.properties.tone).toMatchObject({ enum: ['loud', 'plain'] })
      expect(Object.keys(field.properties.privacy.properties)).toContain('reason')
      expect(field.properties.privacy.properties).not.toHaveProperty('pii')
    })

    it('convert what is stored when they come and go, as steps of a migration that can be taken back', async () => {
      const kinds = async (object: string) => {
        const { body } = await send('POST', '/api/v1/domains/club/preview', { content: club(object, '2') })
        return body.data.steps.map(({ kind, destructive }: any) => [kind, destructive])
      }
      expect(await kinds(OPEN)).toEqual(expect.arrayContaining([['decryptColumn', false]]))
      await server().submit(club(OPEN, '2'))
      expect(await notes()).toEqual(['canary one'])
      expect(await keeps('canary one')).toBe(true)
      await send('POST', MEMBERS, { name: 'Bob', note: 'canary two' })
      expect(await kinds(SEALED)).toEqual(expect.arrayContaining([['encryptColumn', false]]))
      await server().submit(club(SEALED, '3'))
      expect(await notes()).toEqual(['canary one', 'canary two'])
      expect((await send('GET', `${MEMBERS}?filter[note]=x`)).status).toBe(400)
      const back = await send('POST', '/api/v1/domains/club/rollback', { target_version: '2' })
      expect([back.status, await notes()]).toEqual([200, ['canary one', 'canary two']])
      expect((await send('GET', `${MEMBERS}?filter[note]=canary two`)).body.data.count).toBe(1)
    })

    it('change what a field takes, inside of others too, and bring operators', async () => {
      const loud = `note: { type: string, tone: loud }
        box: { type: component, fields: { word: { type: string, tone: loud }, calm: { type: string, tone: plain } } }`
      await server().submit(club(loud, '4'), { allow_destructive: true })
      const box = { word: 'oh', calm: 'oh' }
      const { body } = await send('POST', MEMBERS, { name: 'Cat', note: 'hey', box })
      expect(body.data).toMatchObject({ note: 'HEY', box: { word: 'OH', calm: 'oh' } })
      expect((await send('GET', `${MEMBERS}?filter[note][spoken]=hEy`)).body.data.count).toBe(1)
      expect((await send('GET', `${MEMBERS}?filter[name][spoken]=x`)).status).toBe(400)
    })

    it('keep nothing in the clear of what is sealed: what the type derives goes with its filters', async () => {
      await server().submit(club('place: { type: spot, privacy: { encrypted: true } }', '5'), {
        allow_destructive: true,
      })
      const place = { lat: 12.345678, lon: 87.654321 }
      const { status, body } = await send('POST', MEMBERS, { name: 'Dan', place })
      expect([status, body.data.place]).toEqual([201, place])
      expect(await keeps('12.345678')).toBe(false)
      expect(await keeps('$place')).toBe(false)
      expect((await send('GET', `${MEMBERS}?filter[place][bbox]=1,1,2,2`)).status).toBe(400)
    })
  })

  it(`an attribute that has an owner ends the start on ${store.name}`, async () => {
    const taking = (name: string): Plugin =>
      definePlugin({
        name: 'taker',
        phase: 'domain',
        requires: { domains: DomainsCapability },
        setup: ({ domains }) => domains.aspect({ name, schema: z.string(), apply: (_, type) => type }),
      })
    for (const name of ['required', 'scale', 'tone']) {
      const database = await store.open()
      const config = { ...database.config(), rest: { port: 0 }, auth: { jwt: { secret: SECRET } } }
      const others = standardPlugins(config).filter((one) => one.name !== 'privacy')
      const kernel = createKernel({ config, plugins: [...others, plugin, taking(name)] })
      await expect(kernel.start()).rejects.toThrow(/has an owner already/)
      await database.drop()
    }
  })
}
