import { type Plugin, SYSTEM } from '@svc/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sink, startSink } from '../../kit/sink.ts'
import { startSmtp, type TestSmtp } from '../../kit/smtp.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, type TestKernel } from '../../kit/test-kernel.ts'
import { type Question, seen, type Side, startTwins, type Twins } from './twins.ts'
import { ward } from './ward.ts'

const VAULT = new URL('../../fixtures/third-party-plugin/vault.js', import.meta.url).href
/** One of the fields is kept sealed. */
const { plugin: vault }: { readonly plugin: Plugin } = await import(VAULT)

const BASE = '/api/v1/ward'
const PATIENTS = `${BASE}/patients`
const DAY_MS = 86_400_000

/** What only one of the two servers holds; everything that happens happens on both. */
const SECRETS: Readonly<Record<Side, Readonly<Record<string, unknown>>>> = {
  left: {
    fee: 4711.25,
    pin: 'adam-berta',
    code: 'left code',
    lock: 'Correct-horse-7',
    diary: 'a dull day',
    born: '1981-01-01',
    traits: ['quiet', 'tall'],
    mail: 'left@example.org',
  },
  right: {
    fee: 8642.5,
    pin: 'cesar-dora',
    code: 'right code',
    lock: 'Wrong-horse-8',
    diary: 'quite an eventful day',
    born: '1972-12-31',
    traits: ['loud', 'wide'],
    mail: 'right@example.org',
  },
}
/** Words of the one world or of the other that nobody but bosses may read, wherever they stand. */
const TELLTALE =
  /4711|8642|9422|17285|14133|25927|4712|8643|adam|berta|cesar|dora|left|right code|right@|eventful|dull|1981|1972|quiet|tall|loud|wide|Doctor [LR]/

/** What a test has to name on one of the servers: a record, and the tokens of readers. */
interface Known extends Readonly<Record<Who, string>> {
  readonly patient: string
}
type Who = 'boss' | 'clerk' | 'admin' | 'chief'

/** Every how many entries of a ledger is asked for alone. */
const STRIDE = size('TOLD_STRIDE', { smoke: 4, whole: 1 })

/** A request to either server. */
type Asked = (known: Known) => Question

const patch =
  (body: object): Asked =>
  ({ patient }) => ({ method: 'PATCH', path: `${PATIENTS}/${patient}`, body })

const get =
  (path: string): Asked =>
  () => ({ method: 'GET', path: `${BASE}/${path}` })

interface Listed {
  readonly schedule?: string
  readonly workflow?: string
  readonly status: string
}

const statusOf = ({ schedule, workflow, status }: Listed): string => `${schedule ?? workflow} ${status}`

for (const store of STORES) {
  describe(`what a reader is told on ${store.name}`, () => {
    let mail: TestSmtp
    let sink: Sink
    let twins: Twins
    let known: Readonly<Record<Side, Known>>
    const mails: Record<Side, unknown[]> = { left: [], right: [] }
    const hooks: Record<Side, unknown[]> = { left: [], right: [] }

    beforeAll(async () => {
      mail = await startSmtp()
      sink = await startSink()
      const config = {
        jobs: { enabled: false, workers: 1 },
        vault: { key: Buffer.alloc(32, 7).toString('base64') },
        auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 864_000 } },
        outbound: { allow_private: ['127.0.0.1'] },
        email: {
          enabled: true,
          smtp_host: '127.0.0.1',
          smtp_port: mail.port,
          from_address: 'Ward <ward@example.org>',
          use_tls: false,
        },
      }
      twins = await startTwins(store, ward(`${sink.url}/in`), { config, alike: false, plugins: [vault] })
      known = await settle(twins)
    })
    afterAll(async () => {
      await twins?.stop()
      await mail?.stop()
      await sink?.stop()
    })

    /** Does all that is due, and takes down what left the servers meanwhile. */
    const pass = (ms = 1000) =>
      twins.each(async ({ kernel, clock }, side) => {
        const before = [mail.received.length, sink.received.length] as const
        clock.advance(ms)
        await kernel.callAs(SYSTEM)('jobs.tick', {})
        for (const { recipients, mail: got } of mail.received.slice(before[0]))
          mails[side].push({ recipients, subject: got.subject, text: got.text })
        for (const { body } of sink.received.slice(before[1])) hooks[side].push(JSON.parse(body))
      })

    /** The answers of both servers to a request about what each of them knows. */
    const ask = (question: Asked, who: Who) =>
      twins.each(({ request }, side) => {
        const { method, path, body, headers = {} } = question(known[side])
        const token = known[side][who]
        return request(method, path, { headers, token, ...(body !== undefined && { body }) })
      })

    /** The one answer of both servers. */
    async function same(question: Asked, who: Who) {
      const [left, right] = await ask(question, who)
      expect(plain(seen(right)), JSON.stringify(question(known.left))).toEqual(plain(seen(left)))
      expect(plain(left.body)).not.toMatch(TELLTALE)
      return left
    }

    async function different(question: Asked, who: Who) {
      const [left, right] = await ask(question, who)
      expect(right.status).toBe(left.status)
      expect(plain(seen(right)), JSON.stringify(question(known.left))).not.toEqual(plain(seen(left)))
      return left
    }

    interface Write {
      readonly what: string
      readonly question: Asked
      readonly status: number
      readonly code?: string
    }
    const refused = { status: 422, code: 'RULE_VIOLATION' }
    const writes: readonly Write[] = [
      { what: 'a refusal', question: patch({ stay: 13 }), ...refused },
      {
        what: 'a refusal in another language',
        question: (one) => ({ ...patch({ stay: 13 })(one), headers: { 'accept-language': 'de' } }),
        ...refused,
      },
      { what: 'a warning', question: patch({ stay: 14 }), status: 200 },
      { what: 'a rule that cannot be decided', question: patch({ stay: 15 }), status: 200 },
      { what: 'a validation', question: patch({ stay: 12 }), status: 422, code: 'VALIDATION_ERROR' },
      {
        what: 'rows of a bulk request',
        question: ({ patient: id }) => {
          const items = [13, 14].map((stay) => ({ id, stay }))
          return { method: 'PATCH', path: `${PATIENTS}/bulk`, body: { items } }
        },
        status: 200,
      },
    ]

    it.each(writes)(
      '[A6] is the same in an answer to $what, and is more for who may read it',
      async ({ question, status, code }) => {
        const answer = await same(question, 'clerk')
        expect([answer.status, answer.body.error_code]).toEqual([status, code])
        if (code !== 'VALIDATION_ERROR') await different(question, 'boss')
        await pass()
      },
    )

    it('[A6] is the same in everything that steps of a workflow lead to', async () => {
      for (const stay of [21, 24, 23]) {
        expect((await same(patch({ stay }), 'clerk')).status).toBe(200)
        await pass()
        await pass()
      }
      await same(
        ({ patient: recordId }) => ({
          method: 'POST',
          path: `${BASE}/workflows/started/instances`,
          body: { recordId, input: { text: 'by hand' } },
        }),
        'admin',
      )
      await pass()
      const [{ body }] = await ask(get('workflows/instances'), 'admin')
      expect(body.data.items.map(statusOf).sort()).toEqual([
        'course failed',
        'invalid failed',
        'started completed',
        'tooMuch failed',
      ])
      const [course] = await ask(get('workflows/instances?workflow=course'), 'admin')
      expect(course.body.data.items[0].error).toMatchObject({ step: 'spoil', code: 'RULE_VIOLATION' })
    })

    it('[A6] is the same in everything that firings of a schedule lead to', async () => {
      expect((await same(patch({ stay: 31 }), 'clerk')).status).toBe(200)
      const run = () => ({ method: 'POST', path: `${BASE}/schedules/told/run`, body: { dryRun: true } })
      expect((await same(run, 'admin')).body.data.count).toBe(1)
      await pass(DAY_MS)
      await pass()
      await pass()
      const [{ body }] = await ask(get('schedules/firings'), 'admin')
      expect(body.data.items.map(statusOf).sort()).toEqual([
        'all fired',
        'allBroken fired',
        'begins fired',
        'broken failed',
        'told fired',
        'wrong failed',
      ])
    })

    const LISTS = ['rules', 'rules/log', 'workflows', 'schedules', 'schedules/told/next']
    const ENTRIES = ['workflows/instances', 'schedules/firings', 'notifications']
    const WITH_RECORDS = ['rules/log', 'workflows/instances', 'notifications']

    it.each(LISTS)('[A6] is the same in the ledger %s', async (path) => {
      const { body } = await same(get(path), 'admin')
      expect(body.data.items.length).toBeGreaterThan(0)
    })

    it.each(ENTRIES)('[A6] is the same in the list of the ledger %s', async (path) => {
      const [left, right] = await ask(get(`${path}?limit=1000`), 'admin')
      expect(left.body.data.items.length).toBeGreaterThan(0)
      expect(unordered(right.body.data.items)).toEqual(unordered(left.body.data.items))
      expect(unordered(left.body.data.items).join('\n')).not.toMatch(TELLTALE)
    })

    it.each(ENTRIES)('[A6] is the same in each entry of the ledger %s', async (path) => {
      for (const question of await entriesOf(path)) await same(question, 'admin')
    })

    it.each(WITH_RECORDS)('[A6] is more in the ledger %s for who may read it', async (path) => {
      await different(get(path), 'chief')
    })

    it.each(['history', 'audit', 'versions'])(
      '[A6] is the same in the ledger of a record: %s',
      async (below) => {
        const question: Asked = ({ patient }) => get(`patients/${patient}/${below}`)(known.left)
        for (const who of ['clerk', 'admin'] as const)
          expect((await same(question, who)).body.data.items.length).toBeGreaterThan(0)
        await different(question, 'boss')
      },
    )

    /** The requests for each entry of a ledger. */
    async function entriesOf(path: string): Promise<readonly Asked[]> {
      const [left, right] = await ask(get(`${path}?limit=1000`), 'admin')
      const idsOf = (answer: typeof left): readonly string[] => {
        const items: readonly { readonly id: string }[] = answer.body.data.items
        return items.toSorted((one, other) => (nameless(one) < nameless(other) ? -1 : 1)).map(({ id }) => id)
      }
      const ids = { left: idsOf(left), right: idsOf(right) }
      return ids.left
        .map((_, at) => at)
        .filter((at) => at % STRIDE === 0)
        .map((at) => (one) => get(`${path}/${ids[one === known.left ? 'left' : 'right'][at]}`)(one))
    }

    it('[A6] is the same in every mail but those of who may read it', () => {
      const to = (side: Side, address: string) =>
        unordered(mails[side].filter((one) => JSON.stringify(one).includes(`"recipients":["${address}"]`)))
      for (const address of ['clerk@example.org', 'contact@example.org']) {
        expect(to('left', address).length).toBeGreaterThan(10)
        expect(to('right', address)).toEqual(to('left', address))
        expect(to('left', address).join('\n')).not.toMatch(TELLTALE)
      }
      expect(to('right', 'boss@example.org')).not.toEqual(to('left', 'boss@example.org'))
    })

    it('[A6] is the same in every body of a webhook, whomever else that writes to', () => {
      expect(hooks.left.length).toBeGreaterThan(5)
      expect(unordered(hooks.right)).toEqual(unordered(hooks.left))
      expect(unordered(hooks.left).join('\n')).not.toMatch(TELLTALE)
    })

    it('[A6] is the same in every line of the log', async () => {
      const [left, right] = await twins.each(({ log }) => {
        const lines = log.filter(({ event }) => event?.startsWith('notifications') === true)
        return Promise.resolve(unordered(lines.map(({ event, fields }) => ({ event, fields }))))
      })
      expect(left.length).toBeGreaterThan(10)
      expect(right).toEqual(left)
      expect(left.join('\n')).not.toMatch(TELLTALE)
    })
  })
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** As JSON, without ids. */
const nameless = (value: unknown): string => JSON.stringify(value).replaceAll(UUID, 'id')

/** The same of several of which no order is promised. */
const unordered = (values: readonly unknown[]): readonly string[] => values.map(nameless).sort()

/** As JSON, with ids by the order in which they come. */
function plain(value: unknown): string {
  const ids = new Map<string, number>()
  return JSON.stringify(value, null, 1).replaceAll(UUID, (id) => {
    ids.set(id, ids.get(id) ?? ids.size)
    return `id ${ids.get(id)}`
  })
}

/** Fills both servers with the same, but for what bosses alone may read. */
async function settle({ each }: Twins): Promise<Readonly<Record<Side, Known>>> {
  const [left, right] = await each(settleOne)
  return { left, right }
}

async function settleOne(server: TestKernel, side: Side): Promise<Known> {
  const { token: clerk } = await server.account('clerk', ['clerk'])
  const { token: boss, id: createdById } = await server.account('boss', ['boss'])
  const { token: chief } = await server.account('chief', ['admin', 'boss'])
  const create = async (resource: string, data: object): Promise<string> => {
    const made = await server.kernel.callAs(SYSTEM)(`svc.ward.${resource}.create`, { data })
    return (made as { id: string }).id
  }
  const roomId = await create('room', { title: 'North', code: `${side} code` })
  const doctors = {
    left: await create('doctor', { name: 'Doctor L', wage: 7 }),
    right: await create('doctor', { name: 'Doctor R', wage: 9 }),
  }
  const patient = await create('patient', {
    ...SECRETS[side],
    name: 'Ann',
    contact: 'contact@example.org',
    roomId,
    doctorId: doctors[side],
    createdById,
  })
  await create('note', { text: 'shared', cost: 3, shared: true, patientId: patient })
  const cost = side === 'left' ? 4711 : 8642
  await create('note', { text: `${side} code`, cost, shared: false, patientId: patient })
  return { patient, clerk, boss, chief, admin: server.admin }
}
