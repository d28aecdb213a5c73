import { SYSTEM } from '@svc/kernel'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type Question, seen, type Side, startTwins, type Twins } from './twins.ts'

/** How many requests each caller of each store sends. */
const REQUESTS = size('PROOF_REQUESTS', { smoke: 60, whole: 5000 })
const SEED = 815
const COUNT = 9

const FIELDS = [
  'name',
  'secret',
  'masked',
  'own',
  'rank',
  'asked',
  'gain',
  'since',
  'home.title',
  'home.cost',
  'keeper.username',
]
const NUMBERS = ['rank', 'own', 'level', 'gain', 'home.cost']

/** Views over all fields, readable or not, each with a filter or a formula of its own. */
const views = {
  everything: { filter: undefined, sort: 'secret desc, rank, name' },
  bySecret: { filter: "secret == 'right 2'", sort: undefined },
  byRank: { filter: 'rank > 0', sort: undefined },
  byHome: { filter: 'home.cost > 100', sort: undefined },
  byOwn: { filter: 'own > 100', sort: 'own' },
}
const column = (name: string) => `{ field: ${name} }`
const COLUMNS = [
  ...FIELDS.map(column),
  '{ field: level, highlight: { error: rank > 3, warning: home.cost > 100, info: own > 3 } }',
  '{ name: made, computed: "secret ?? masked ?? asked ?? \'none\'" }',
  '{ name: far, computed: "home.cost ?? 0" }',
  '{ name: diaries, computed: count(diaries) }',
].join(', ')

const DEFINITION = `
domain:
  name: vault
  version: '1'
  resources:
    Place:
      object: { title: string, cost: decimal }
      permissions: { list: ['*'], get: ['*'], create: [boss], fields: { cost: { read: [boss] } } }
    Diary:
      object: { text: string, pages: integer, personId: uuid, userId: uuid }
      owner: userId
      relationships: { person: { type: belongsTo, target: Person } }
      permissions: { list: "hasRole('boss') or isOwner()", get: "hasRole('boss') or isOwner()", create: [boss] }
    Person:
      object:
        name: { type: string, required: true }
        secret: string
        masked: string
        own: decimal
        rank: integer
        level: integer
        asked: { type: string, hidden: true, requestable: true }
        since: date
        homeId: uuid
        userId: uuid
      computed:
        gain: { type: decimal, expression: rank * 2, stored: true }
      owner: userId
      relationships:
        home: { type: belongsTo, target: Place }
        keeper: { type: belongsTo, target: User, foreignKey: userId }
        diaries: { type: hasMany, target: Diary, foreignKey: personId }
      permissions:
        list: ['*']
        get: ['*']
        create: [boss]
        update: [boss]
        fields:
          secret: { read: [boss] }
          masked: { read: [boss], mask: true }
          own: { read: [owner, boss] }
          rank: { read: [boss] }
          asked: { read: [boss] }
          since: { read: [boss] }
      history: { events: { made: { on: create, label: 'Made {secret}', capture: [name, secret] } } }
  views:
${Object.entries(views)
  .map(
    ([name, { filter, sort }]) =>
      `    ${name}: { source: Person, permissions: ['*'], columns: [${COLUMNS}]${filter ? `, filter: ${JSON.stringify(filter)}` : ''}${sort ? `, sort: ${JSON.stringify(sort)}` : ''} }`,
  )
  .join('\n')}
    diaries: { source: Diary, permissions: ['*'], columns: [text, pages, person.name, person.secret] }
  reports:
    figures:
      permissions: ['*']
      sections:
        - metrics:
${[
  ...NUMBERS.flatMap((name) => [`sum(Person.${name})`, `max(everything.${name})`]),
  'countDistinct(Person.secret)',
  "count(Person, secret == 'right 2')",
  'count(Person, home.cost > 100)',
  'count(byRank)',
  'count(Diary)',
  'sum(Diary.pages)',
  'max(Person.since)',
  'count(Person, count(diaries) > 1)',
]
  .map((value, at) => `            - { label: m${at}, value: ${JSON.stringify(value)} }`)
  .join('\n')}
${[...FIELDS, 'made', 'far', 'diaries', 'level']
  .map(
    (name) =>
      `        - { title: ${name}, table: { view: everything, groupBy: ${name}, totals: { ${NUMBERS.map((one) => `${one}: sum`).join(', ')}, secret: count }, limit: 4 } }`,
  )
  .join('\n')}
        - { title: filtered, table: { view: everything, filter: rank > 2 } }
        - { title: rows, table: { view: diaries, groupBy: text, totals: [pages] } }
        - { title: plain, table: { view: everything } }
  dashboards:
${['kept', 'fresh']
  .map(
    (name) => `    ${name}:
      permissions: ['*']${name === 'kept' ? '\n      refresh: 1h' : ''}
      widgets:
${NUMBERS.map((one, at) => `        c${at}: { type: counter, query: { source: Person, aggregate: sum, field: ${one} }, thresholds: { some: 1 } }`).join('\n')}
        diaries: { type: counter, query: { source: Diary } }
        reached: { type: counter, query: { source: Person, filter: "any(diaries, pages > 3)" } }
        filtered: { type: gauge, query: { source: Person, filter: rank > 0 }, max: 9 }
        aimed: { type: scorecard, query: { source: Person }, target: max(Person.rank) }
${FIELDS.map((one, at) => `        b${at}: { type: breakdown, query: { source: Person, groupBy: ${one} } }`).join('\n')}
        series: { type: timeSeries, query: { source: Person, interval: month, dateField: since } }
        table: { type: table, query: { view: everything, sort: rank desc } }
        byRank: { type: table, query: { view: byRank } }
        past: { type: timeline, query: { source: Person } }`,
  )
  .join('\n')}
`

/** What only one of the two servers holds. */
const SECRETS: Readonly<Record<Side, (at: number) => Readonly<Record<string, unknown>>>> = {
  left: (at) => ({
    secret: `left ${at}`,
    masked: `mask ${at}`,
    own: at,
    rank: at,
    asked: 'yes',
    since: `2026-01-0${at}`,
  }),
  right: (at) => ({
    secret: at % 2 === 0 ? `right ${at}` : null,
    masked: at % 3 === 0 ? null : 'm'.repeat(at),
    own: 900 - at,
    rank: -at,
    asked: at % 2 === 0 ? null : 'no',
    since: at % 2 === 0 ? null : `2025-12-${10 + at}`,
  }),
}

for (const store of STORES) {
  describe(`what views, reports and dashboards tell on ${store.name}`, () => {
    let twins: Twins
    const tokens: Record<string, string> = {}

    beforeAll(async () => {
      twins = await startTwins(store, DEFINITION)
      for (const [name, roles] of [
        ['boss', ['boss']],
        ['clerk', ['clerk']],
        ['other', ['clerk']],
      ] as const) {
        const [{ token, id }] = await twins.each((server) => server.account(name, roles))
        tokens[name] = token
        tokens[`${name}Id`] = id
      }
      const create = (resource: string, data: (side: Side) => object) =>
        twins.each(
          async ({ kernel }, side) =>
            (await kernel.callAs(SYSTEM)(`svc.vault.${resource}.create`, { data: data(side) })) as {
              readonly id: string
            },
        )
      const places: string[] = []
      for (let at = 0; at < 2; at += 1) {
        const [{ id }] = await create('place', (side) => ({
          title: `Place ${at}`,
          cost: side === 'left' ? at : 500 + at,
        }))
        places.push(id)
      }
      for (let at = 1; at < COUNT; at += 1) {
        const fields = {
          name: `Person ${at}`,
          level: at % 3,
          homeId: places[at % 2],
          userId: tokens['bossId'],
        }
        const [{ id }] = await create('person', (side) => ({ ...fields, ...SECRETS[side](at) }))
        // The clerk's own are alike; those of others are not.
        await create('diary', (side) => ({
          text: at % 4 === 0 ? 'mine' : `${side} ${at}`,
          pages: at % 4 === 0 ? at : side === 'left' ? at : 50 * at,
          personId: id,
          userId: tokens[at % 4 === 0 ? 'clerkId' : 'otherId'],
        }))
      }
    })
    afterAll(() => twins?.stop())

    const questions = (): fc.Arbitrary<Question> => {
      const names = fc.constantFrom(...FIELDS, 'made', 'far', 'level', 'nothing')
      const sort = fc.array(fc.tuple(fc.constantFrom('', '-'), names), { minLength: 1, maxLength: 3 })
      const query = fc.record(
        {
          sort: sort.map((keys) => keys.map((one) => one.join('')).join(',')),
          format: fc.constantFrom('json', 'csv'),
          formatted: fc.constantFrom('true', 'false'),
          limit: fc.constantFrom('1', '3', '50'),
          page: fc.constantFrom('1', '2'),
        },
        { requiredKeys: [] },
      )
      const view = fc
        .tuple(fc.constantFrom(...Object.keys(views), 'diaries'), query)
        .map(([name, asked]) => `views/${name}?${new URLSearchParams(asked)}`)
      const report = fc
        .tuple(fc.constantFrom('json', 'csv'), fc.option(fc.integer({ min: 1, max: 19 })))
        .map(
          ([format, section]) =>
            `reports/figures?format=${format}${section === null || format === 'json' ? '' : `&section=${section}`}`,
        )
      const widget = fc.constantFrom(
        '',
        ...[
          'c0',
          'c4',
          'diaries',
          'filtered',
          'aimed',
          'b1',
          'b4',
          'b9',
          'series',
          'table',
          'byRank',
          'past',
        ].map((one) => `/widgets/${one}`),
      )
      const dashboard = fc
        .tuple(fc.constantFrom('kept', 'fresh'), widget)
        .map(([name, one]) => `dashboards/${name}${one}`)
      return fc
        .oneof(
          { weight: 4, arbitrary: view },
          { weight: 2, arbitrary: report },
          { weight: 3, arbitrary: dashboard },
        )
        .map((path) => ({ method: 'GET', path: `/api/v1/vault/${path}` }))
    }

    it('F4 F5 is really different on the two servers', async () => {
      for (const path of [
        'views/everything',
        'reports/figures',
        'dashboards/kept',
        'dashboards/fresh',
        'views/diaries',
      ]) {
        const [left, right] = await twins.ask(
          { method: 'GET', path: `/api/v1/vault/${path}` },
          tokens['boss'],
        )
        expect([path, left.status]).toEqual([path, 200])
        expect(JSON.stringify(left.body)).not.toMatch(/"forbidden"/)
        expect(seen(left)).not.toEqual(seen(right))
      }
    })

    for (const who of ['nobody', 'clerk']) {
      it(`F4 F5 D6 changes no byte for ${who}, cold or kept`, async () => {
        const codes = new Map<number, number>()
        for (const [at, question] of fc.sample(questions(), { numRuns: REQUESTS, seed: SEED }).entries()) {
          // What is kept of an answer to somebody who may read everything is no answer to others.
          if (at % 3 === 0) await twins.ask(question, tokens['boss'])
          const [left, right] = await twins.ask(question, tokens[who])
          expect(seen(right), JSON.stringify(question)).toEqual(seen(left))
          codes.set(left.status, (codes.get(left.status) ?? 0) + 1)
          expect(left.status, JSON.stringify(question)).toBeLessThan(500)
        }
        expect(codes.get(200)).toBeGreaterThan(REQUESTS / 4)
      })
    }
  })
}
