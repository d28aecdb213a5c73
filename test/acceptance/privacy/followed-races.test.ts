import { describe, expect, it, onTestFinished } from 'vitest'
import { askPostgres } from '../../kit/ask-postgres.ts'
import { createRandom } from '../../kit/random.ts'
import { startSecond } from '../../kit/second-server.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { club, CLUB_BASE } from './club.ts'

const ROUNDS = size('RACE_ROUNDS', { smoke: 8, whole: 100 })
const SEED = Number(process.env['RACE_SEED'] ?? 5)

for (const store of STORES) {
  describe(`identifiers that change at once on ${store.name}`, () => {
    const config = { jobs: { enabled: false }, rate_limit: { enabled: false } }
    const server = useTestKernel({ store, config, definition: club() })

    it('P20, P21: a restriction is lost by no order, and a consent reaches nobody else', async () => {
      const random = createRandom(SEED)
      const { token } = await server().account('keeper', ['keeper'])
      const second = await startSecond(server().database, server().clock, [], config)
      onTestFinished(() => second.stop())
      const servers = [server().request, second.request]
      const send = (method: string, path: string, body?: unknown) =>
        random.pick(servers)(method, `${CLUB_BASE}/${path}`, { token, ...(body !== undefined && { body }) })
      const subject = (who: string, suffix: string) => `privacy/subject/${encodeURIComponent(who)}${suffix}`
      const member = async (email: string): Promise<string> =>
        (await send('POST', 'members', { name: 'x', email })).body.data.id
      const consent = async (who: string) =>
        (await send('GET', subject(who, '/consent'))).body.data.items[0].status
      for (let round = 0; round < ROUNDS; round += 1) {
        const [from, to, third] = ['a', 'b', 'c'].map((one) => `${one}.${round}@example.org`) as [
          string,
          string,
          string,
        ]
        const [id, twin] = [await member(from), await member(from)]
        await send('POST', subject(from, '/consent/grant'), { purpose: 'study' })
        await send('POST', subject(from, '/restrict'), { reason: 'x', restrictedOperations: ['delete'] })
        const isMet = random.chance(0.5)
        const [a, b, c] = await Promise.all([
          send('PATCH', `members/${id}`, { email: to }),
          send('PATCH', `members/${twin}`, { email: isMet ? to : third }),
          random.chance(0.5) ? send('POST', 'members', { name: 'y', email: to }) : undefined,
        ])
        expect([round, a!.status, b!.status, c?.status ?? 201]).toEqual([round, 200, 200, 201])
        const codes = new Map<string, readonly string[]>()
        const ids = [id, twin, ...(c === undefined ? [] : [c.body.data.id as string])]
        for (const one of ids) {
          const { email } = (await send('GET', `members/${one}`)).body.data
          const { status, body } = await send('DELETE', `members/${one}`)
          codes.set(email, [...(codes.get(email) ?? []), body?.error_code ?? String(status)])
        }
        // Records of one person are all bound or none: none where somebody else was there first.
        for (const [email, found] of codes)
          expect([round, email, new Set(found).size]).toEqual([round, email, 1])
        if (c === undefined)
          expect([round, [...codes.values()].flat()]).toEqual([round, ['RESTRICTED', 'RESTRICTED']])
        const bound = codes.get(to)?.[0] === 'RESTRICTED'
        const granted = []
        for (const who of [from, to, third]) if ((await consent(who)) === 'granted') granted.push(who)
        expect([round, granted.length]).toEqual([round, 1])
        if (!bound) expect([round, granted.includes(to)]).toEqual([round, false])
      }
      // To find that two wait for each other takes PostgreSQL a second.
      await askPostgres(server().database, async (client) => {
        const { rows } = await client.query(
          'select deadlocks::int from pg_stat_database where datname = current_database()',
        )
        expect(rows).toEqual([{ deadlocks: 0 }])
      })
    })
  })
}
