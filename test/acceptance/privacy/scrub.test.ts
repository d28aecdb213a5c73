import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SYSTEM } from '@svc/kernel'
import { askServer } from '@svc/management/contract'
import { StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { SECRET, type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const socket = join(mkdtempSync(join(tmpdir(), 'svc-socket-')), 'svc.sock')

for (const store of STORES) {
  describe(`the files of the database after an erase on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: clinic({ privacy: 'retention: [{ category: contact, duration: 1y, action: anonymize }]' }),
      config: {
        jobs: { enabled: false },
        management: { socket },
        auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000_000 } },
      },
    })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: dpo.token, ...(body !== undefined && { body }) })
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})
    const entry = async () =>
      (await send('GET', `${BASE}/privacy/log?action=erase&limit=1`)).body.data.items[0]
    const people = async (names: readonly string[]) => {
      for (const name of names) {
        const email = `${name}@example.org`
        // Long and short ones, so that pages overflow, split and are merged again.
        for (const long of [40, 3000, 6000]) {
          const remark = `${name} `.repeat(long / name.length)
          const complaint = { complaint: remark, room: 'a room' }
          const known = await send('GET', `${BASE}/patients?filter[email]=${encodeURIComponent(email)}`)
          const id =
            known.body.data.items[0]?.id ??
            (await send('POST', `${BASE}/patients`, { name: `${name} of name`, email })).body.data.id
          expect((await send('POST', `${BASE}/visits`, { ...complaint, patientId: id })).status).toBe(201)
          await send('PATCH', `${BASE}/patients/${id}`, { name: `${name} at ${long}` })
        }
      }
    }

    beforeAll(async () => {
      dpo = await server().account('keeper', ['dpo', 'admin'])
    })

    it('P15: have no byte of who was erased, and all of the others', async () => {
      const names = Array.from({ length: 12 }, (_, at) => `canary${String.fromCodePoint(97 + at).repeat(5)}`)
      const [gone, stay] = [names.filter((_, at) => at % 3 === 0), names.filter((_, at) => at % 3 !== 0)]
      await people(names)
      for (const name of gone) {
        const answer = await send('POST', about(`${name}@example.org`, '/erase'), {
          method: 'delete',
          reason: 'x',
        })
        expect([answer.status, answer.body.error_message]).toEqual([200, undefined])
      }
      expect((await entry()).scrubbedAt).toBeNull()
      const isDone = async () => {
        await tick()
        return (await entry()).scrubbedAt !== null
      }
      if (store.name === 'sqlite') await expect.poll(isDone, { timeout: 30_000 }).toBe(true)
      const kept = await everythingKept(server().database)
      expect(gone.filter((name) => kept.includes(name))).toEqual([])
      expect(stay.filter((name) => !kept.includes(name))).toEqual([])
      // An index of texts points at the very rows that it did, wherever these lie now.
      for (const [at, name] of names.entries()) {
        const found = await send('GET', `${BASE}/patients?search=${name}`)
        const emails = found.body.data.items.map(({ email }: { email: string }) => email)
        expect([name, emails]).toEqual([name, at % 3 === 0 ? [] : [`${name}@example.org`]])
      }
    })

    it('P15: are rewritten at once for the owner of the process, and the log says when', async () => {
      await people(['canaryyyyyy'])
      await send('POST', about('canaryyyyyy@example.org', '/erase'), { reason: 'x' })
      expect(await askServer(socket, { cmd: 'privacy_scrub' })).toEqual({ ok: true, data: ['clinic'] })
      const isDone = async () => {
        await tick()
        return (await entry()).scrubbedAt !== null
      }
      await expect.poll(isDone, { timeout: 30_000 }).toBe(true)
      // The line is written behind the time.
      const told = () => server().log.filter(({ event }) => event === 'privacy.scrubbed')
      await expect.poll(() => told().at(-1)?.fields).toMatchObject({ domain: 'clinic' })
      expect(await everythingKept(server().database)).not.toContain('canaryyyyyy')
    })

    it('P15: are rewritten while others write, whatever the store', async () => {
      await people(['canaryzzzzz'])
      await send('POST', about('canaryzzzzz@example.org', '/erase'), { reason: 'x' })
      const data = server().kernel.get(StoreCapability)
      const tables = (await data.catalog()).tables.map(({ name }) => name)
      const before = await data.size()
      const [, answer] = await Promise.all([
        data.scrub(tables),
        send('POST', `${BASE}/patients`, { name: 'meanwhile' }),
      ])
      expect(answer.status).toBe(201)
      expect(await data.size()).toBeLessThanOrEqual(before * 2)
      expect(await everythingKept(server().database)).not.toContain('canaryzzzzz')
    })

    it('P15, P24: are rewritten after a sweep too', async () => {
      const phone = '+441632960777'
      await send('POST', `${BASE}/patients`, { name: 'swept', phone })
      server().clock.advance(400 * 86_400_000)
      const { body } = await send('POST', `${BASE}/privacy/retention`, {})
      expect(body.data.items[0].done).toBeGreaterThan(0)
      const swept = async () =>
        (await send('GET', `${BASE}/privacy/log?action=sweep&limit=1`)).body.data.items[0]
      const isDone = async () => {
        await tick()
        return (await swept()).scrubbedAt !== null
      }
      if (store.name === 'sqlite') await expect.poll(isDone, { timeout: 30_000 }).toBe(true)
      expect(await everythingKept(server().database)).not.toContain(phone)
    })
  })
}
