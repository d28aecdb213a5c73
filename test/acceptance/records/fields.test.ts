import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { ACCOUNTS, DESK, NOTES, SETTINGS, TICKETS } from '../desk.ts'

for (const store of STORES) {
  describe(`fields on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK })
    let agent: TestAccount
    let boss: TestAccount
    let owner: TestAccount

    beforeAll(async () => {
      agent = await server().account('agent', ['agent'])
      boss = await server().account('boss', ['boss', 'agent'])
      owner = await server().account('owner')
    })

    const send = (method: string, path: string, body?: unknown, { token } = agent, headers = {}) =>
      server().request(method, path, { token, headers, ...(body !== undefined && { body }) })
    const ticket = async (body: object = {}, who = agent) => {
      const made = await send('POST', TICKETS, { title: 'Printer', ...body }, who)
      expect([made.status, made.body.errors]).toEqual([201, undefined])
      return made.body.data
    }

    it('make a slug of the source, and another where it is taken', async () => {
      const slugs = []
      for (const title of ['Größe & Co', 'Größe & Co', 'größe co']) slugs.push((await ticket({ title })).slug)
      expect(slugs).toEqual(['grosse-co', 'grosse-co-2', 'grosse-co-3'])
      const own = await ticket({ slug: 'own-name' })
      expect(own.slug).toBe('own-name')
      expect((await send('PATCH', `${TICKETS}/${own.id}`, { title: 'Renamed' })).body.data.slug).toBe(
        'own-name',
      )
      const clash = await send('POST', TICKETS, { title: 'Other', slug: 'own-name' })
      expect([clash.status, clash.body.error_code]).toEqual([409, 'DUPLICATE'])
    })

    it('count up without a gap that anybody could fall into, however many create at once', async () => {
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, at) => ticket({ title: `Many ${at}`, slug: `many-${at}` })),
      )
      const numbers = made.map(({ number }) => number)
      expect(new Set(numbers).size).toBe(12)
      const last = Math.max(...numbers)
      await send('DELETE', `${TICKETS}/${made.find(({ number }) => number === last)!.id}`)
      expect((await ticket()).number).toBeGreaterThan(last)
      const sent = await send('POST', TICKETS, { title: 'Mine', number: 1 })
      expect(sent.body.data.number).toBeGreaterThan(last)
      expect(sent.body.warnings).toMatchObject([{ rule: 'ignored' }])
    })

    it('never show a password, wherever one looks', async () => {
      const made = await send('POST', ACCOUNTS, { login: 'ann', secret: 'Correct-horse-7' })
      const path = `${ACCOUNTS}/${made.body.data.id}`
      const answers = [
        made,
        await send('GET', path),
        await send('GET', `${path}?fields=secret`),
        await send('GET', `${ACCOUNTS}?fields=secret,login&sort=secret&filter[secret]=x`),
        await send('PATCH', path, { secret: 'Another-horse-7' }),
        await send('PUT', path, { login: 'ann', secret: 'Another-horse-8' }),
      ]
      for (const { status, body } of answers) {
        expect(status).toBeLessThan(300)
        expect(JSON.stringify(body.data)).not.toMatch(/secret|argon2|horse/)
      }
      expect((await send('GET', `${ACCOUNTS}/distinct/secret`)).status).toBe(400)
    })

    it('make a token that nobody brings', async () => {
      const { ticket: token } = (await send('POST', ACCOUNTS, { login: 'tok', secret: 'Correct-horse-7' }))
        .body.data
      expect(token).toMatch(/^[\w-]{43}$/)
    })

    it('work out formulas: stored ones on write, virtual ones on read', async () => {
      const { id, cost, label } = await ticket({ hours: 1.5, rate: 20 })
      expect([cost, label]).toEqual([30, 'OPEN Printer'])
      const path = `${TICKETS}/${id}`
      const changed = await send('PATCH', path, { hours: 3, cost: 7, label: 'mine' })
      expect(changed.body.data).toMatchObject({ cost: 60, label: 'OPEN Printer' })
      expect(changed.body.warnings).toHaveLength(2)
      const { items } = (await send('GET', `${TICKETS}?filter[cost][gte]=60&fields=label`)).body.data
      expect(items).toEqual([{ id, label: 'OPEN Printer' }])
    })

    it('keep what is immutable', async () => {
      const { id } = await ticket({ kind: 'hardware' })
      const path = `${TICKETS}/${id}`
      for (const method of ['PATCH', 'PUT']) {
        const refused = await send(method, path, { title: 'Printer', kind: 'software' })
        expect([refused.status, refused.body.errors[0].rule]).toEqual([422, 'immutable'])
      }
      expect((await send('PUT', path, { title: 'Printer' })).body.data.kind).toBe('hardware')
      const key = await send('PATCH', path, { id: '0190b3c4-0000-7000-8000-00000000beef' })
      expect([key.status, key.body.errors[0].rule]).toEqual([422, 'immutable'])
    })

    it('go back to their default with PUT, but for what the service or another keeps', async () => {
      const { id } = await ticket({ priority: 5, note: 'x' }, owner)
      const path = `${TICKETS}/${id}`
      await send('PATCH', path, { margin: 4, costCentre: 'east' }, boss)
      const { body } = await send('PUT', path, { title: 'Printer' })
      expect(body.data).toMatchObject({ priority: 3, note: null, createdById: owner.id, costCentre: 'east' })
      expect((await send('GET', path, undefined, boss)).body.data.margin).toBe(4)
    })

    it('say who made a record, whatever a client sends', async () => {
      const made = await send('POST', TICKETS, { title: 'Printer', createdById: boss.id }, owner)
      expect(made.body.data.createdById).toBe(owner.id)
      expect(made.body.warnings).toMatchObject([{ rule: 'ignored' }])
    })

    it('are refused by the rules of the resource', async () => {
      const { id } = await ticket()
      const { status, body } = await send('POST', `${TICKETS}/${id}/transitions/solve`, { solution: 'x' })
      expect([status, body.errors]).toEqual([
        422,
        [{ field: 'hours', rule: 'solvedNeedsHours', message: 'Solved tickets cost time' }],
      ])
    })

    it('are masked, left out or shown by the roles of the reader', async () => {
      const { id } = await ticket({ margin: 1 }, boss)
      const path = `${TICKETS}/${id}`
      const seen = async (query: string, who?: TestAccount) => {
        const token = who ? { token: who.token } : {}
        return (await server().request('GET', `${path}${query}`, token)).body.data
      }
      expect(await seen('', boss)).toMatchObject({ margin: 1, costCentre: 'general' })
      expect(await seen('', agent)).toMatchObject({ margin: '***', costCentre: 'general' })
      expect(await seen('')).toMatchObject({ margin: '***' })
      expect(await seen('')).not.toHaveProperty('costCentre')
      expect(await seen('?fields=margin,costCentre')).toEqual({ id, margin: '***' })
      const { warnings } = (await server().request('GET', `${TICKETS}?filter[margin]=1&sort=costCentre`)).body
      expect(warnings).toHaveLength(2)
    })

    it('that may not be written are dropped, or refused where the client is strict', async () => {
      const { id } = await ticket()
      const path = `${TICKETS}/${id}`
      const dropped = await send('PATCH', path, { margin: 9 })
      expect([dropped.status, dropped.body.warnings]).toMatchObject([200, [{ rule: 'ignored' }]])
      const strict = await send('PATCH', path, { margin: 9, note: 'x' }, agent, { prefer: 'handling=strict' })
      expect([strict.status, strict.body.error_code]).toEqual([400, 'INVALID_QUERY'])
      expect((await send('GET', path)).body.data.note).toBeNull()
    })
  })

  describe(`permissions by record on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DESK })
    let agent: TestAccount
    let boss: TestAccount
    let owner: TestAccount

    beforeAll(async () => {
      agent = await server().account('agent', ['agent'])
      boss = await server().account('boss', ['boss'])
      owner = await server().account('owner')
    })

    const send = (method: string, path: string, who?: TestAccount, body?: unknown) =>
      server().request(method, path, {
        ...(who && { token: who.token }),
        ...(body !== undefined && { body }),
      })
    const outcome = async (method: string, path: string, who?: TestAccount, body?: unknown) => {
      const answer = await send(method, path, who, body)
      return [answer.status, answer.body?.error_code]
    }
    const note = async (body: object = {}) => {
      const made = await send('POST', NOTES, owner, { text: 'Hello', ...body })
      return `${NOTES}/${made.body.data.id}`
    }

    it('let the owner see a list of their own records, and a role all of them', async () => {
      await note()
      await send('POST', NOTES, boss, { text: 'of the boss' })
      const texts = async (who: TestAccount) =>
        (await send('GET', NOTES, who)).body.data.items.map(({ text }: { text: string }) => text).sort()
      expect(await texts(owner)).toEqual(['Hello'])
      expect(await texts(boss)).toEqual(['of the boss'])
      expect(await texts(agent)).toEqual(['Hello', 'of the boss'])
      expect((await send('GET', `${NOTES}/count`, owner)).body.data.total).toBe(1)
      expect(await outcome('GET', NOTES)).toEqual([401, 'UNAUTHORIZED'])
    })

    it('are decided by expressions on the stored record', async () => {
      const open = await note()
      const hidden = await note({ public: false, level: 3 })
      expect(await outcome('GET', open, agent)).toEqual([200, undefined])
      expect(await outcome('GET', hidden, agent)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('GET', hidden, owner)).toEqual([200, undefined])
      expect(await outcome('GET', hidden)).toEqual([401, 'UNAUTHORIZED'])
      expect(await outcome('PATCH', open, agent, { text: 'x' })).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('PATCH', hidden, owner, { level: 1 })).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('PATCH', open, owner, { level: 3 })).toEqual([200, undefined])
      expect(await outcome('PATCH', open, owner, { level: 1 })).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('DELETE', open, agent)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('DELETE', await note(), owner)).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('DELETE', await note(), agent)).toEqual([204, undefined])
    })

    it('tell a record that one may not touch from one that is not there', async () => {
      expect(await outcome('PATCH', `${NOTES}/0190b3c4-0000-7000-8000-00000000beef`, agent, {})).toEqual([
        404,
        'NOT_FOUND',
      ])
    })

    it('depend on the state where the definition says so', async () => {
      const made = await send('POST', TICKETS, owner, { title: 'Printer', hours: 1, solution: 'x' })
      const path = `${TICKETS}/${made.body.data.id}`
      expect(await outcome('PATCH', path, boss, { note: 'x' })).toEqual([403, 'FORBIDDEN'])
      await send('POST', `${path}/transitions/solve`, agent)
      await send('POST', `${path}/transitions/close`, agent)
      expect(await outcome('PATCH', path, agent, { note: 'x' })).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('PATCH', path, owner, { note: 'x' })).toEqual([403, 'FORBIDDEN'])
      expect(await outcome('PATCH', path, boss, { note: 'x' })).toEqual([200, undefined])
    })

    it('leave a singleton with get and update of its one record', async () => {
      const id = '0190b3c4-0000-7000-8000-000000000001'
      const call = server().kernel.callAs(SYSTEM)
      await call('svc.desk.setting.create', { data: { id } })
      expect((await send('GET', `${SETTINGS}/${id}`)).body.data).toEqual({ id, theme: 'light' })
      expect((await send('PATCH', `${SETTINGS}/${id}`, agent, { theme: 'dark' })).body.data.theme).toBe(
        'dark',
      )
      expect((await send('PUT', `${SETTINGS}/${id}`, agent, {})).body.data.theme).toBe('light')
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['DELETE', `/${id}`],
        ['POST', '/bulk'],
        ['PATCH', '/bulk'],
        ['DELETE', '/bulk'],
      ] as const) {
        expect([
          path,
          ...(await outcome(method, `${SETTINGS}${path}`, agent, method === 'GET' ? undefined : {})),
        ]).toEqual([path, 404, 'NOT_FOUND'])
      }
      expect(await outcome('GET', `${SETTINGS}/count`, agent)).toEqual([404, 'NOT_FOUND'])
      expect(await outcome('GET', `${SETTINGS}/distinct/theme`, agent)).toEqual([404, 'NOT_FOUND'])
    })
  })
}
