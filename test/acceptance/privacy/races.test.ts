import { describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const DAY = 86_400_000
const config = {
  jobs: { enabled: false },
  auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000_000 } },
}

for (const store of STORES) {
  describe(`several at once about one person on ${store.name}`, () => {
    const retention = 'retention: [{ category: contact, duration: 1y, action: anonymize }]'
    const server = useTestKernel({ store, config, definition: clinic({ privacy: retention }) })

    it('P20: what is written while somebody comes to be restricted is bound, or refused', async () => {
      const { token } = await server().account('dpo', ['dpo'])
      const second = await startSecond(server().database, server().clock, [], config)
      const send = (of: typeof second.request, method: string, path: string, body?: unknown) =>
        of(method, path, { token, ...(body !== undefined && { body }) })
      for (let round = 0; round < 8; round += 1) {
        const email = `r${round}@example.org`
        const patient = await send(second.request, 'POST', `${BASE}/patients`, { name: 'R', email })
        const visit = { patientId: patient.body.data.id, room: '1' }
        const message = { sender: email, text: 'x' }
        const writes = [0, 1, 2].flatMap(() => [
          send(second.request, 'POST', `${BASE}/visits`, visit),
          send(second.request, 'POST', `${BASE}/messages`, message),
        ])
        const restricted = send(server().request, 'POST', about(email, '/restrict'), { reason: 'x' })
        const [answer, ...written] = await Promise.all([restricted, ...writes])
        expect(answer.status).toBe(200)
        for (const [at, { status, body }] of written.entries()) {
          expect([201, 403]).toContain(status)
          if (status !== 201) continue
          const path = `${BASE}/${at % 2 === 0 ? 'visits' : 'messages'}/${body.data.id}`
          const changed = await send(server().request, 'PATCH', path, {
            [at % 2 === 0 ? 'room' : 'text']: 'y',
          })
          expect([round, at, changed.body.error_code]).toEqual([round, at, 'RESTRICTED'])
        }
      }
      await second.stop()
    })

    it('P24: two servers that sweep at once do everything once', async () => {
      const { token } = await server().account('keeper', ['dpo'])
      const second = await startSecond(server().database, server().clock, [], config)
      const items = Array.from({ length: 90 }, (_, at) => ({ name: 'S', phone: `+4930100${1000 + at}` }))
      await server().request('POST', `${BASE}/patients/bulk`, { token, body: { items } })
      server().clock.advance(400 * DAY)
      const runs = [server().request, second.request].map((of) =>
        of('POST', `${BASE}/privacy/retention`, { token, body: {} }),
      )
      const done = (await Promise.all(runs)).map(({ status, body }) => {
        expect([status, body.error_code]).toEqual([200, undefined])
        return body.data.items[0].done as number
      })
      const [one = 0, other = 0] = done
      // Those of the first test are restricted.
      expect(one + other).toBe(90)
      const left = await server().request('GET', `${BASE}/patients?filter[phone][gte]=%2B&limit=1`, { token })
      expect(left.body.data.totalCount).toBe(0)
      await second.stop()
    })
  })
}
