import { SYSTEM } from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { createRandom } from '../../kit/random.ts'
import { startSecond } from '../../kit/second-server.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { clinic as vault, config as own, ENCRYPTION, PATIENTS } from '../privacy/clinic.ts'
import { about, BASE, clinic } from '../privacy/practice.ts'
import { pass, QUIET, tick } from '../workflows/desk.ts'

/** How often people are erased while others write and read. */
const ROUNDS = size('RACE_ROUNDS', { smoke: 5, whole: 100 })
const SEED = Number(process.env['RACE_SEED'] ?? 9)
/** How many data keys are made after each other. */
const ROTATIONS = size('ROTATIONS', { smoke: 2, whole: 12 })
const MANY = 90
const DAY = 86_400

for (const store of STORES) {
  describe(`several servers at once on ${store.name}`, () => {
    const config = { jobs: { enabled: false }, rate_limit: { enabled: false } }
    const server = useTestKernel({ store, config, definition: clinic() })

    it('P10, P14: an erase is whole, and no write beside it is lost or outlives the next one', async () => {
      const random = createRandom(SEED)
      const { token } = await server().account('dpo', ['dpo'])
      const second = await startSecond(server().database, server().clock, [], config)
      onTestFinished(() => second.stop())
      const servers = [server().request, second.request]
      const send = (method: string, path: string, body?: unknown) =>
        random.pick(servers)(method, path, { token, ...(body !== undefined && { body }) })
      for (let round = 0; round < ROUNDS; round += 1) {
        const email = `raced.${round}@example.org`
        const patient = await send('POST', `${BASE}/patients`, { name: `Raced no. ${round}`, email })
        const { id } = patient.body.data
        const visit = await send('POST', `${BASE}/visits`, { complaint: `of no. ${round}`, patientId: id })
        const writes = [
          () => send('PATCH', `${BASE}/patients/${id}`, { name: `Later no. ${round}` }),
          () => send('PATCH', `${BASE}/patients/${id}`, { remark: 'seen' }),
          () => send('PATCH', `${BASE}/visits/${visit.body.data.id}`, { complaint: `later of no. ${round}` }),
          () => send('POST', `${BASE}/visits`, { complaint: `another of no. ${round}`, patientId: id }),
          () => send('POST', `${BASE}/messages`, { sender: email, text: 'hello' }),
          () => send('POST', `${BASE}/messages`, { receiver: email, text: 'hello' }),
          () => send('GET', about(email)),
          () => send('GET', about(email, '/export')),
          () => send('POST', about(email, '/erase'), { dryRun: true }),
        ]
        const method = random.pick(['anonymize', 'pseudonymize', 'delete'])
        const erasing = () => send('POST', about(email, '/erase'), { method, reason: 'asked for' })
        const all = random.some([...writes, erasing, erasing], writes.length + 2)
        const answers = await Promise.all(all.map((one) => one()))
        const erased = answers.filter((_, at) => all[at] === erasing)
        expect([round, method, erased.map(({ status }) => status)]).toEqual([round, method, [200, 200]])
        const faults = answers.filter(({ status }) => status >= 500).map(({ body }) => body)
        expect([round, method, faults]).toEqual([round, method, []])
        // What still holds the address is found by it, on either server, and nothing else is.
        const holding = (await rowsOf('clinic_message')).filter((row) =>
          [row['sender'], row['receiver']].includes(email),
        )
        for (const request of servers) {
          const found = await request('GET', about(email), { token })
          const messages: readonly string[] = (found.body.data?.resources.Message ?? []).map(idOf)
          const lost = holding.map(idOf).filter((id) => !messages.includes(id))
          expect([round, method, lost]).toEqual([round, method, []])
          // Who has a pseudonym is found with what bears it.
          if (method !== 'pseudonymize')
            expect([round, method, messages.length]).toEqual([round, method, holding.length])
        }
        // The next one finds what came beside it, and leaves nothing of the address anywhere.
        const { status } = await send('POST', about(email, '/erase'), { method, reason: 'again' })
        expect([round, method, status]).toEqual([round, method, 200])
        const left = [...(await rowsKept(server().database))].filter(
          ([name, text]) => name.startsWith('clinic_') && text.includes(email),
        )
        expect([round, method, left.map(([name]) => name)]).toEqual([round, method, []])
      }
    }, 600_000)

    const rowsOf = async (name: string): Promise<readonly Record<string, unknown>[]> =>
      JSON.parse((await rowsKept(server().database)).get(name) ?? '[]')
    const idOf = ({ id }: Record<string, unknown>): string => String(id)
  })

  describe(`two servers with one set of keys on ${store.name}`, () => {
    const config = { ...own, ...QUIET }
    const privacy = ENCRYPTION.replace(' }', ', keyRotation: 30d }')
    const server = useTestKernel({ store, config, definition: vault({ privacy }) })

    it('E3: that make new keys and rewrite values at once make one each, and lose no value that is written meanwhile', async () => {
      const second = await startSecond(server().database, server().clock, [], config)
      onTestFinished(() => second.stop())
      const { admin: token } = server()
      const servers = [server().request, second.request]
      const items = Array.from({ length: MANY }, (_, at) => ({
        name: `p${at}`,
        ssn: `s-${at}`,
        note: 'first',
      }))
      const made = await server().request('POST', `${PATIENTS}/bulk`, { token, body: { items } })
      expect(made.body.data.created).toBe(MANY)
      const { body } = await server().request('GET', `${PATIENTS}?limit=${MANY}&sort=name`, { token })
      const ids = body.data.items.map(({ id }: { readonly id: string }) => id)
      const both = () => Promise.all([tick(server()), second.kernel.callAs(SYSTEM)('jobs.tick', {})])
      const expected = new Map<string, string>(ids.map((id: string) => [id, 'first']))
      for (let turn = 1; turn <= ROTATIONS; turn += 1) {
        await pass(server(), 31 * DAY)
        await both()
        // By now the key is in use, and older values are rewritten.
        server().clock.advance(121_000)
        const written = ids.filter((_: string, at: number) => at % 3 === turn % 3)
        const [, , ...answers] = await Promise.all([
          both(),
          both(),
          ...written.map((id: string, at: number) =>
            servers[at % 2]!('PATCH', `${PATIENTS}/${id}`, { token, body: { note: `turn ${turn}` } }),
          ),
        ])
        expect([turn, answers.filter(({ status }) => status !== 200)]).toEqual([turn, []])
        for (const id of written) expected.set(id, `turn ${turn}`)
        await expect
          .poll(
            async () => {
              server().clock.advance(2000)
              await both()
              const rows = await rowsKept(server().database)
              return [...new Set((rows.get('clinic_patient') ?? '').match(/(?<=")e1[0-9a-f]{8}/g))]
            },
            { timeout: 20_000 },
          )
          // Every value is under the newest key, whose number leads it in hexadecimal.
          .toEqual([`e1${(turn + 1).toString(16).padStart(8, '0')}`])
        for (const request of servers) {
          const answer = await request('GET', `${PATIENTS}?limit=${MANY}&sort=name`, { token })
          const notes = new Map(
            answer.body.data?.items.map(({ id, note }: { readonly id: string; readonly note: string }) => [
              id,
              note,
            ]),
          )
          expect([turn, notes]).toEqual([turn, expected])
          const found = await request('GET', `${PATIENTS}?filter[ssn]=s-7`, { token })
          expect(found.body.data.items.length).toBe(1)
        }
      }
      const keys: readonly { readonly purpose: string; readonly number: number }[] = JSON.parse(
        (await rowsKept(server().database)).get('svc_encryption_keys') ?? '[]',
      )
      const numbers = keys.filter(({ purpose }) => purpose === 'data').map((one) => Number(one.number))
      expect(numbers.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: ROTATIONS + 1 }, (_, at) => at + 1),
      )
    }, 600_000)
  })
}
