import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { sendFile } from '../localization/translators.ts'

const port = (version: string, more = '') => `
domain:
  name: port
  version: '${version}'
  localization: { supportedLocales: [en, de] }
  privacy: { subjectIdentifier: { primary: email }, permissions: [admin] }
  enums: { Flag: { values: { red: { label: { en: Red, de: Rot }, color: '#AA0000' }, blue: {}, green: { color: '#00AA00' } } } }
  resources:
    Sailor:
      object: { email: { type: email, unique: true, privacy: { subjectIdentifier: true } }, name: { type: string, privacy: { pii: true } } }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
    Harbour:
      object: { name: string, depth: integer }
      permissions: { list: [pilot], get: [pilot], create: ['*'] }
    Ship:
      object:
        name: string
        flag: { type: string, enum: Flag }
        armed: boolean
        crew: integer
        gold: { type: integer }
        harbourId: uuid
      relationships: { harbour: { type: belongsTo, target: Harbour } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], fields: { gold: { read: [pilot] } } }
  views:
    readers: { source: Ship, permissions: ['*'], columns: [name, { name: who, computed: "coalesce(user.username, 'nobody')" }] }
  dashboards:
    whose:
      permissions: ['*']
      refresh: 1h
      widgets:
        readers: { type: breakdown, query: { source: readers, groupBy: who } }
        most: { type: counter, query: { source: readers, aggregate: countDistinct, field: who } }
    levels:
      permissions: ['*']
      widgets:
${Object.entries({
  falls: '{ fine: 9, low: 3, none: 0 }',
  rises: '{ none: 0, some: 3, many: 9 }',
  mixed: "{ small: '< 3', three: 3, large: '> 3' }",
  alone: '{ any: 3 }',
  equal: "{ exact: '>= 3', past: '<3', none: '<= -1.5' }",
})
  .map(
    ([name, levels]) =>
      `        ${name}: { type: counter, query: { source: Ship, filter: crew > 0 }, thresholds: ${levels}, colorMap: { three: '#111111', low: '#222222' } }`,
  )
  .join('\n')}
        flags: { type: breakdown, query: { source: Ship, groupBy: flag, sort: value asc }, colorMap: { red: '#123456' } }
        equals: { type: breakdown, query: { source: Ship, groupBy: name, sort: value desc, limit: 3 } }
        armed: { type: breakdown, query: { source: Ship, groupBy: armed }, colorMap: { 'true': '#ABCDEF' } }
        least: { type: breakdown, query: { source: Ship, groupBy: flag, aggregate: min, field: crew, sort: value desc } }
        gold: { type: breakdown, query: { source: Ship, groupBy: name, aggregate: sum, field: gold } }
        deep: { type: breakdown, query: { source: Ship, groupBy: harbour.name } }
        aimed: { type: scorecard, query: { source: Ship }, target: max(Ship.gold) }
        ends: { type: gauge, query: count(Ship), target: count(Ship) * 2, thresholds: { a: 1 } }
    kept:
      permissions: ['*']
      refresh: 1h
      widgets:
        ships: { type: counter, query: { source: Ship }, label: Ships }
        gold: { type: counter, query: { source: Ship, aggregate: max, field: gold } }
        sailors: { type: breakdown, query: { source: Sailor, groupBy: name } }${more}
`

for (const store of STORES) {
  describe(`readers of dashboards on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: port('1') })
    const tokens: Record<string, string> = {}
    let pilotId = ''
    beforeAll(async () => {
      const pilot = await server().account('pia', ['pilot'])
      ;[tokens['pilot'], pilotId] = [pilot.token, pilot.id]
      tokens['guest'] = (await server().account('gil')).token
      const create = async (path: string, body: object) => {
        const answer = await server().request('POST', `/api/v1/port/${path}`, { body })
        expect(answer.status).toBe(201)
        return answer.body.data.id
      }
      const harbourId = await create('harbours', { name: 'North', depth: 9 })
      await create('ships', { name: 'b', flag: 'red', armed: true, crew: 3, gold: 5, harbourId })
      await create('ships', { name: 'B', flag: 'red', armed: false, crew: 1, gold: -2 })
      await create('ships', { name: 'é', flag: 'blue', crew: 2 })
      await create('ships', { name: null, flag: null, crew: null })
      await create('sailors', { email: 'ann@example.org', name: 'Ann' })
    })
    const ask = async (path: string, who = 'nobody', language = 'en') => {
      const token = tokens[who]
      return server().request('GET', `/api/v1/port/dashboards/${path}`, {
        ...(token !== undefined && { token }),
        headers: { 'accept-language': language },
      })
    }
    const widgets = async (name: string, who?: string) => (await ask(name, who)).body.data.widgets

    it('D5 the last level that holds counts, up or down or by its sign', async () => {
      const found = await widgets('levels')
      const told = Object.fromEntries(
        ['falls', 'rises', 'mixed', 'alone', 'equal'].map((name) => [
          name,
          [found[name].value, found[name].threshold, found[name].color],
        ]),
      )
      expect(told).toEqual({
        falls: [3, 'low', '#222222'],
        rises: [3, 'some', null],
        mixed: [3, 'three', '#111111'],
        alone: [3, 'any', null],
        equal: [3, 'exact', null],
      })
    })

    it('D4 equal values come by key, null first; groups that nobody is in are not there; colours of the map win', async () => {
      const { flags, equals, armed, least } = await widgets('levels')
      expect(flags.groups).toEqual([
        { key: null, label: '', value: 1, color: null },
        { key: 'blue', label: 'blue', value: 1, color: null },
        { key: 'red', label: 'Red', value: 2, color: '#123456' },
      ])
      expect([equals.groups.map(({ key }: any) => key), equals.truncated]).toEqual([[null, 'B', 'b'], true])
      expect(armed.groups).toEqual([
        { key: null, label: '', value: 2, color: null },
        { key: false, label: 'No', value: 1, color: null },
        { key: true, label: 'Yes', value: 1, color: '#ABCDEF' },
      ])
      expect(least.groups.map(({ key, value }: any) => [key, value])).toEqual([
        ['blue', 2],
        ['red', 1],
        [null, null],
      ])
    })

    it('F9 D4 a sum over nothing is 0, and stands where 0 does', async () => {
      const { gold } = await widgets('levels', 'pilot')
      expect(gold.groups.map(({ key, value }: any) => [key, value])).toEqual([
        ['b', 5],
        [null, 0],
        ['é', 0],
        ['B', -2],
      ])
    })

    it('F5 D7 a closed target of a relationship, and an aim that may not be read, are forbidden', async () => {
      const { deep, aimed, ends } = await widgets('levels')
      expect(deep).toEqual({ type: 'breakdown', label: 'deep', format: 'integer', forbidden: true })
      expect(aimed).toMatchObject({ value: null, forbidden: true })
      expect(ends).toMatchObject({ value: 4, target: 8, min: 0, max: 8 })
      for (const name of ['deep', 'aimed']) {
        expect((await ask(`levels/widgets/${name}`)).body.error_code).toBe('UNAUTHORIZED')
        expect((await ask(`levels/widgets/${name}`, 'guest')).body.error_code).toBe('FORBIDDEN')
        expect((await ask(`levels/widgets/${name}`, 'pilot')).status).toBe(200)
      }
      expect((await widgets('levels', 'pilot')).aimed).toMatchObject({ value: 4, target: 5 })
    })

    it('D6 a kept answer is in the language of its reader, and texts that come count at once', async () => {
      const label = async (language: string) =>
        (await ask('kept', 'guest', language)).body.data.widgets.ships.label
      expect([await label('en'), await label('de')]).toEqual(['Ships', 'Ships'])
      const file = 'locale: de\ndashboards: { kept: { widgets: { ships: Schiffe } } }'
      const { body } = await sendFile(server().request, server().admin, file, '', 'port')
      expect(body.data).toMatchObject({ imported: 1 })
      expect([await label('en'), await label('de')]).toEqual(['Ships', 'Schiffe'])
    })

    it('D6 what a column works out of its reader is kept for that reader alone', async () => {
      tokens['gus'] = (await server().account('gus')).token
      const readers = async (who: string) =>
        (await widgets('whose', who)).readers.groups.map(({ key }: any) => key)
      expect([await readers('guest'), await readers('gus'), await readers('guest')]).toEqual([
        ['gil'],
        ['gus'],
        ['gil'],
      ])
    })

    it('D6 a change of roles ends what is kept for its caller at once', async () => {
      const gold = async () => (await widgets('kept', 'pilot')).gold
      expect(await gold()).toMatchObject({ value: 5 })
      const roles = async (list: readonly string[]) => {
        const path = `/api/v1/admin/users/${pilotId}/roles`
        const { status } = await server().request('PUT', path, {
          token: server().admin,
          body: { roles: list },
        })
        expect(status).toBe(200)
      }
      await roles([])
      expect(await gold()).toMatchObject({ value: null, forbidden: true })
      await roles(['pilot'])
      expect(await gold()).toMatchObject({ value: 5 })
    })

    it('D6 an erase ends what is kept at once, a write does not', async () => {
      const names = async () => (await widgets('kept')).sailors.groups.map(({ key }: any) => key)
      expect(await names()).toEqual(['Ann'])
      const { request, admin: token } = server()
      await request('POST', '/api/v1/port/sailors', { body: { email: 'bo@example.org', name: 'Bo' } })
      expect(await names()).toEqual(['Ann'])
      const erased = await request('POST', '/api/v1/port/privacy/subject/ann@example.org/erase', {
        token,
        body: { reason: 'asked for' },
      })
      expect([erased.status, erased.body.error_code]).toEqual([200, undefined])
      expect(await names()).not.toContain('Ann')
      expect(await names()).toContain('Bo')
    })

    it('D6 a new definition ends what is kept at once', async () => {
      const first = (await ask('kept')).body.data
      server().clock.advance(1000)
      expect((await ask('kept')).body.data.computedAt).toBe(first.computedAt)
      await server().submit(port('2', '\n        more: { type: counter, query: { source: Ship } }'))
      const second = (await ask('kept')).body.data
      expect(second.computedAt).not.toBe(first.computedAt)
      expect(second.widgets.more.value).toBe(4)
    })
  })
}
