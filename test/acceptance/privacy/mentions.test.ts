import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { rowsKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { about, BASE, clinic } from './practice.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const ERRANDS = `
    Errand:
      object: { title: string, word: string }
      permissions: ${OPEN}
      history: { events: { done: { on: update, capture: [title, word], label: 'Done for {title}', detail: 'as {word} said' } } }
  rules:
    worded:
      { trigger: { resource: Errand, on: [create, update] }, condition: "title != ''", action: log, message: 'About {title}' }
  workflows:
    follow:
      trigger: { resource: Errand, event: create }
      steps:
        tell:
          action: notify
          notification: { channels: [log], template: { subject: 'For {title}', body: '{word} said so' } }
        rest: { wait: { timeout: { duration: 1d } } }
`

for (const store of STORES) {
  describe(`what others keep of somebody who is erased on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: clinic({ more: ERRANDS }),
      config: { jobs: { enabled: false } },
    })
    let dpo: TestAccount
    const send = (method: string, path: string, body?: unknown, headers = {}) =>
      server().request(method, path, {
        token: server().admin,
        ...(body !== undefined && { body }),
        headers,
      })
    const erase = async (identifier: string, body: object) => {
      const path = about(identifier, '/erase')
      const answer = await server().request('POST', path, {
        token: dpo.token,
        body: { reason: 'x', ...body },
      })
      expect([answer.status, answer.body.error_message]).toEqual([200, undefined])
      return answer.body.data
    }
    const tablesWith = async (word: string) =>
      [...(await rowsKept(server().database))].flatMap(([table, rows]) =>
        rows.includes(word) ? [table] : [],
      )
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})
    const person = async (name: string, more: object = {}) => {
      const { body } = await send(
        'POST',
        `${BASE}/patients`,
        { name: `${name} canary`, email: `${name}@example.org`, ...more },
        { 'idempotency-key': `make-${name}` },
      )
      return body.data.id as string
    }

    beforeAll(async () => {
      dpo = await server().account('dpo', ['dpo'])
    })

    it('P14: a kept answer stays, without the values, and is answered again so', async () => {
      const body = { name: 'berta canary', email: 'berta@example.org', remark: 'kept as it was' }
      const key = { 'idempotency-key': 'first' }
      const first = await send('POST', `${BASE}/patients`, body, key)
      expect(first.status).toBe(201)
      await person('other')
      await erase('berta@example.org', {})
      expect(await tablesWith('berta')).toEqual([])
      const again = await send('POST', `${BASE}/patients`, body, key)
      expect([again.status, again.body.data]).toMatchObject([
        201,
        { id: first.body.data.id, name: '[erased]', email: '[erased]', remark: 'kept as it was' },
      ])
      expect(await tablesWith('other canary')).toContain('svc_idempotency')
    })

    it('P14: what speaks of somebody in ledgers and messages about others stays without the values', async () => {
      await person('clara')
      await person('dora')
      for (const name of ['clara', 'dora']) {
        const made = await send('POST', `${BASE}/errands`, {
          title: `${name} canary`,
          word: `${name}@example.org`,
        })
        expect([made.status, made.body.errors]).toEqual([201, undefined])
        const path = `${BASE}/errands/${made.body.data.id}`
        const changed = await send('PATCH', path, { title: `(${name} canary)` })
        expect([changed.status, changed.body.errors]).toEqual([200, undefined])
      }
      for (let turn = 0; turn < 6; turn += 1) await tick()
      const before = await tablesWith('clara')
      for (const kept of ['rules__log', 'workflows__instances', 'notifications', 'errand__history'])
        expect(
          before.some((table) => table.endsWith(kept)),
          `${kept} in ${before.join()}`,
        ).toBe(true)
      const dry = await erase('clara@example.org', { dryRun: true })
      expect(await tablesWith('clara')).toEqual(before)
      const done = await erase('clara@example.org', {})
      expect(done.unresolved).toEqual(dry.unresolved)
      // What others say in fields of their own that are not personal is theirs.
      expect(await tablesWith('clara')).toEqual(['clinic_errand'])
      expect(await tablesWith('dora canary')).toEqual(expect.arrayContaining(before))
      const { body } = await send('GET', `${BASE}/rules/log?limit=50`)
      const said = body.data.items.map(({ message }: { message: string }) => message)
      expect(said).toEqual(
        expect.arrayContaining(['About [erased]', 'About ([erased])', 'About dora canary']),
      )
    })

    it('P14: a value that others may have too is left, and somebody is asked to look', async () => {
      await person('ella', { name: 'Summer' })
      const made = await send('POST', `${BASE}/errands`, { title: 'In summer', word: 'Summertime' })
      const dry = await erase('ella@example.org', { dryRun: true })
      expect(dry.unresolved.length).toBeGreaterThan(0)
      const done = await erase('ella@example.org', {})
      expect(done.unresolved).toEqual(dry.unresolved)
      expect(done.unresolved[0]).toMatchObject({
        kind: expect.any(String),
        id: expect.any(String),
        reason: 'It has a value of the person that may be meant of somebody else',
      })
      const { body } = await send('GET', `${BASE}/rules/log?recordId=${made.body.data.id}`)
      expect(body.data.items[0].message).toBe('About In summer')
      expect((await erase('ella@example.org', {})).unresolved).toEqual([])
    })
  })
}
