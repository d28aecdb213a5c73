import { SYSTEM } from '@svc/kernel'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import type { TestAccount, TestKernel } from '../../kit/test-kernel.ts'
import { type Question, seen, type Side, startTwins, type Twins } from './twins.ts'
import { asked, askedAlong, followed, listOf, queries, reads, repeated } from './questions.ts'
import { FIELDS, PATHS, PEOPLE, PLACES, VAULT } from './vault.ts'

/** How many requests each caller of each store sends. */
const REQUESTS = size('PROOF_REQUESTS', { smoke: 70, whole: 500 })
const SEED = 4711

/** What only one of the two servers holds; the n-th value of one never is that of the other. */
const SECRETS: Readonly<Record<Side, (at: number) => Readonly<Record<string, unknown>>>> = {
  left: (at) => ({
    secret: `left ${at}`,
    wage: 100 + at,
    pin: `77${at}`,
    born: `198${at}-01-01`,
    rank: at,
    traits: ['quiet'],
    diary: 'a dull day',
    key: 'Correct-horse-7',
  }),
  right: (at) => ({
    secret: at % 2 === 0 ? null : `right ${at}`,
    wage: 900 - at,
    pin: at % 3 === 0 ? null : 'x'.repeat(at + 5),
    born: at % 2 === 0 ? null : `197${at}-12-31`,
    rank: -at,
    traits: at % 2 === 0 ? null : ['loud', 'tall'],
    diary: at % 4 === 0 ? null : 'a long and quite eventful day',
    key: null,
  }),
}
const COUNT = 8
const SHARED_MAIL = 'shared@example.org'

/** Everything that a test needs to name; the same on both servers. */
interface Known {
  readonly people: readonly string[]
  readonly places: readonly string[]
  readonly tokens: Readonly<Record<string, string | undefined>>
}

for (const store of STORES) {
  describe(`what a caller may not read on ${store.name}`, () => {
    let twins: Twins
    let known: Known

    beforeAll(async () => {
      twins = await startTwins(store, VAULT)
      known = await settle(twins)
    })
    afterAll(() => twins?.stop())

    it('is really different on the two servers', async () => {
      const [left, right] = await twins.ask({ method: 'GET', path: PEOPLE }, known.tokens['boss'])
      expect(left.body.data.items.map(({ wage }: { wage: number }) => wage)).toContain(101)
      expect(right.body.data.items.map(({ wage }: { wage: number }) => wage)).toContain(899)
      expect(seen(left)).not.toEqual(seen(right))
    })

    for (const who of ['nobody', 'clerk']) {
      it(`changes no byte of any answer to ${who}`, async () => {
        const sample = fc.sample(questions(known), { numRuns: REQUESTS, seed: SEED })
        const codes = new Map<number, number>()
        for (const [at, question] of sample.entries()) {
          // What is kept of an answer to somebody who may read everything is no answer to others.
          if (at % 4 === 0 && question.method === 'GET') await twins.ask(question, known.tokens['boss'])
          const answers = await same(question, known.tokens[who])
          codes.set(answers.status, (codes.get(answers.status) ?? 0) + 1)
          expect(answers.status, JSON.stringify(question)).toBeLessThan(500)
          const next = followed(question, answers)
          if (next) await same(next, known.tokens[who])
          const again = repeated(question, answers)
          if (again) expect((await same(again, known.tokens[who])).status).toBe(304)
        }
        // The requests really reach what they are meant to reach.
        expect(codes.get(200)).toBeGreaterThan(REQUESTS / 3)
      })
    }

    it('[9.5] changes nothing that is asked along relationships', async () => {
      const ways = {
        [PEOPLE]:
          'home.title home.residents.name keeper.username team.members.wage team.members.name team.members.pin team.members.rank team.members.homeId creator.email labels.text',
        [PLACES]:
          'members.wage members.pin members.secret members.born members.traits members.key members.net members.rich members.diary members.gross members.badge members.mail members.homeId members.teamWage members.home.title members.keeper.username members.labels.text members.open residents.name residents.level residents.home.title',
      }
      for (const [collection, names] of Object.entries(ways))
        for (const question of askedAlong(collection, names.split(' '), ['101', '899', 'right 2', 'a'])) {
          for (const who of ['clerk', 'nobody']) {
            const answer = await same(question, known.tokens[who])
            expect([200, 400], JSON.stringify(question)).toContain(answer.status)
            const next = followed(question, answer)
            if (next) await same(next, known.tokens[who])
          }
        }
    })

    it('is not named where a unique value clashes', async () => {
      const body = { name: 'Twin', mail: 'taken@example.org' }
      const question = { method: 'POST', path: PEOPLE, body }
      await twins.ask(question, known.tokens['boss'])
      const answer = await same(question, known.tokens['clerk'])
      expect([answer.status, answer.body.error_code]).toEqual([409, 'DUPLICATE'])
      expect(JSON.stringify(answer.body)).not.toMatch(/mail/i)
    })

    it('is not found by sending what an immutable field may hold', async () => {
      for (const seal of ['wax', 'lead']) {
        const path = `${PEOPLE}/${known.people[0]}`
        const answer = await same({ method: 'PATCH', path, body: { seal } }, known.tokens['clerk'])
        expect(answer.body.errors).toMatchObject([{ field: 'seal', rule: 'immutable' }])
      }
    })

    it('is no field that an upsert finds its record by', async () => {
      for (const name of ['wage', 'secret', 'rank', 'net', 'nothing']) {
        const items = [{ name: 'Newcomer', [name]: 101 }]
        const body = { items, upsert: true, conflict: [name] }
        const answer = await same({ method: 'POST', path: `${PEOPLE}/bulk`, body }, known.tokens['clerk'])
        expect(answer.body.errors).toMatchObject([{ field: 'conflict', rule: 'unknown' }])
      }
    })

    it('shows in no document', async () => {
      const documents = [
        'domains/vault',
        'domains/vault/schema',
        'domains/vault/openapi.json',
        'openapi.json',
      ]
      for (const path of documents)
        await same({ method: 'GET', path: `/api/v1/${path}` }, known.tokens['clerk'])
    })

    /** The one answer of both servers. */
    async function same(question: Question, token: string | undefined) {
      const [left, right] = await twins.ask(question, token)
      expect(seen(right), JSON.stringify(question)).toEqual(seen(left))
      return left
    }
  })
}

/** Fills both servers with the same people, but for their secrets, and writes some of them again. */
async function settle(twins: Twins): Promise<Known> {
  const account = (name: string, roles: readonly string[]) =>
    both(twins, (server) => server.account(name, roles))
  const clerk = await account('clerk', ['clerk'])
  const boss = await account('boss', ['boss'])
  const place = async (title: string) =>
    idOf(
      await both(
        twins,
        create('place', () => ({ title })),
      ),
    )
  const places = [await place('north'), await place('south')]
  const labels = [await labelled(twins, 'a'), await labelled(twins, 'b')]
  const people: string[] = []
  for (let at = 0; at < COUNT; at++) {
    const made = create('person', (side) => ({
      ...SECRETS[side](at),
      name: `Person ${at % 5}`,
      level: at % 3,
      mail: at === 0 ? SHARED_MAIL : `${side}${at}@example.org`,
      homeId: places[side === 'left' ? at % 2 : 0],
      teamId: places[at % 2],
      keeperId: (side === 'left' ? clerk : boss).id,
      createdById: boss.id,
    }))
    people.push(idOf(await both(twins, made)))
  }
  for (const [at, id] of people.entries()) {
    const update = { id, data: (side: Side) => ({ level: at, ...SECRETS[side](at + 1) }) }
    await twins.each((server, side) =>
      call(server)('svc.vault.person.update', { id: update.id, data: update.data(side) }),
    )
    const target = (side: Side) => labels[side === 'left' ? 0 : 1]
    await twins.each((server, side) =>
      call(server)('svc.vault.person.labels.link', { id, data: { labelId: target(side) } }),
    )
  }
  await twins.each((server) => call(server)('svc.vault.person.wake', { id: people[1], data: {} }))
  await twins.each((server) => call(server)('svc.vault.person.delete', { id: people[2] }))
  return { people, places, tokens: { clerk: clerk.token, boss: boss.token } }
}

const call = (server: TestKernel) => server.kernel.callAs(SYSTEM)

const create = (resource: string, data: (side: Side) => object) => (server: TestKernel, side: Side) =>
  call(server)(`svc.vault.${resource}.create`, { data: data(side) }) as Promise<{ id: string }>

const labelled = async (twins: Twins, text: string) =>
  idOf(
    await both(
      twins,
      create('label', () => ({ text })),
    ),
  )

const idOf = ({ id }: { readonly id: string }): string => id

/** Does the same on both, and answers what came of it on one: they make the same ids. */
async function both<T extends { readonly id: string } | TestAccount>(
  twins: Twins,
  work: (server: TestKernel, side: Side) => Promise<T>,
): Promise<T> {
  const [left, right] = await twins.each(work)
  expect(right.id).toBe(left.id)
  return left
}

/** Values that one of the servers holds, and others. */
const values = fc.oneof(
  fc.constantFrom(
    '101',
    '899',
    '770',
    'left 3',
    'right 3',
    'xxxxx',
    '1981-01-01',
    'true',
    'false',
    'idle',
    'busy',
  ),
  fc.constantFrom('Person 1', '%', '%7%', '', '0', '-3', '3', 'a dull day', 'wax', SHARED_MAIL, '***'),
  fc.string({ maxLength: 4 }),
)
const field = fc.constantFrom(...FIELDS)
const relationships = [
  'home',
  'team',
  'keeper',
  'creator',
  'labels',
  'members',
  'residents',
  '_permissions',
  'nothing',
]
const query = queries({ fields: [...FIELDS, ...PATHS, ...PATHS], relationships, values })

/** Requests over every way that leads to people. */
function questions({ people, places }: Known): fc.Arbitrary<Question> {
  const person = fc.constantFrom(...people)
  const place = fc.constantFrom(...places)
  const path = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(PEOPLE, PEOPLE, `${PEOPLE}/count`, `${PEOPLE}/export`) },
    { weight: 2, arbitrary: field.map((name) => `${PEOPLE}/distinct/${name}`) },
    { weight: 3, arbitrary: person.map((id) => `${PEOPLE}/${id}`) },
    fc.constantFrom(`${PEOPLE}/audit`, `${PEOPLE}/history`, `${PEOPLE}/distinct`),
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        PLACES,
        PLACES,
        `${PLACES}/count`,
        `${PLACES}/export`,
        `${PLACES}/distinct/title`,
      ),
    },
    place.map((id) => `${PLACES}/${id}`),
    fc
      .tuple(person, fc.constantFrom('audit', 'versions', 'history', 'labels'))
      .map(([id, below]) => `${PEOPLE}/${id}/${below}`),
    fc
      .tuple(place, fc.constantFrom('residents', 'members', '?include=members', '?include=residents'))
      .map(([id, below]) => `${PLACES}/${id}${below.startsWith('?') ? '' : '/'}${below}`),
  )
  return fc.oneof({ weight: 8, arbitrary: reads(path, query) }, writes(person))
}

/** Bodies without a value for the one field whose uniqueness tells of others. */
const body = fc
  .dictionary(
    field.filter((name) => name !== 'mail' && name !== 'id'),
    fc.oneof(values, fc.integer(), fc.constant(null)),
    {
      maxKeys: 3,
    },
  )
  .map((sent) => ({ ...sent }))
const named = body.map((sent) => ({ name: 'Newcomer', ...sent }))

function writes(person: fc.Arbitrary<string>): fc.Arbitrary<Question> {
  const at = (below: string) => person.map((id) => `${PEOPLE}/${id}${below}`)
  const transition = fc.constantFrom('wake', 'rest', 'end', 'fly')
  const upsert = fc.record({
    items: fc.array(named, { maxLength: 3 }),
    upsert: fc.constant(true),
    conflict: listOf(field).map((one) => one.split(',')),
  })
  return fc.oneof(
    asked('PATCH', at(''), body),
    asked('PATCH', at(''), fc.constantFrom({ phase: 'gone' }, { phase: 'idle' }, { level: 500 })),
    asked('PUT', at(''), named),
    asked('POST', fc.constant(PEOPLE), named),
    asked('POST', fc.constant(`${PEOPLE}/bulk`), upsert),
    asked('POST', fc.constant(`${PEOPLE}/import`), fc.array(named, { maxLength: 3 })),
    asked(
      'POST',
      at('/revert'),
      fc.integer({ min: 0, max: 4 }).map((version) => ({ version })),
    ),
    fc.tuple(person, transition).map(([id, name]) => ({
      method: 'POST',
      path: `${PEOPLE}/${id}/transitions/${name}`,
      body: {},
    })),
    asked('POST', at('/restore'), fc.constant({})),
    asked('DELETE', at(''), fc.constant(undefined)),
  )
}
