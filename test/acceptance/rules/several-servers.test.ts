import { SYSTEM } from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, useTestKernel } from '../../kit/test-kernel.ts'
import { asSystem, deskOf, OPEN } from './desk.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { title: string, total: integer, status: { type: string, enum: [open, paid] } }
      stateMachine: { field: status, initial: open, states: { open: { transitions: { pay: { to: paid } } }, paid: {} } }
      permissions: ${OPEN}
    Copy: { object: { title: string }, permissions: ${OPEN} }
  rules:
    large: { trigger: { resource: Order, on: create }, condition: total > 100, action: reject, message: Too large }
    noted: { trigger: { resource: Order, on: create }, condition: total > 50, action: log, message: Noted }
    less: { trigger: { resource: Order, on: update }, condition: total < previous.total, action: reject, message: 'It was {previous.total}' }
    early: { trigger: { resource: Order, on: update, condition: $transition == 'pay' }, condition: previous.total == null, action: reject, message: 'Not {$transition} yet' }
    fresh: { trigger: { resource: Order, on: create }, condition: previous.total != null or $transition != null, action: reject, message: x }
    kept: { trigger: { resource: Order, on: delete }, condition: "op == 'delete' and total == 7", action: reject, message: '{title} of {user.name} {total} stays' }
    copied: { trigger: { resource: Copy, on: create }, condition: title == 'bad', action: reject, message: No bad copies }
  workflows:
    copy:
      trigger: { resource: Order, event: create, condition: title == 'bad' }
      steps: { copy: { action: create, target: Copy, input: { title: $record.title } } }
  schedules:
    hourly: { recurrence: hourly, action: create, target: Copy, input: { title: bad } }
`
const DAY_MS = 86_400_000
const config = {
  jobs: { enabled: false },
  auth: { jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 315_360_000 } },
}

for (const store of STORES) {
  describe(`rules of several servers on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, config })
    const desk = deskOf(server, 'shop')

    it('A10: one that is switched on a server counts on another within a second', async () => {
      const second = await startSecond(server().database, server().clock)
      onTestFinished(second.stop)
      const refused = async (on: Pick<typeof second, 'request'>) =>
        (await on.request('POST', '/api/v1/shop/orders', { body: { total: 101 } })).status === 422
      expect([await refused(server()), await refused(second)]).toEqual([true, true])
      for (const enabled of [false, true]) {
        const { status } = await desk.send('PATCH', '/rules/large', { enabled }, server().admin)
        expect([status, await refused(server())]).toEqual([200, enabled])
        await expect.poll(() => refused(second), { timeout: 1000, interval: 20 }).toBe(enabled)
      }
    })

    it('A3: conditions and messages know the record as it would be stored, what it was, and the transition', async () => {
      const order = async (values: object) => (await desk.send('POST', '/orders', values)).body.data.id
      const said = async (...request: Parameters<typeof desk.send>) =>
        (await desk.send(...request)).body?.error_message
      const id = await order({ title: 'Nails', total: 9 })
      expect(await said('PATCH', `/orders/${id}`, { total: 8 })).toBe('It was 9')
      expect(await said('PATCH', `/orders/${id}`, { total: 10 })).toBeUndefined()
      const bare = await order({ title: 'Bare' })
      expect(await said('POST', `/orders/${bare}/transitions/pay`, { total: 1 })).toBe('Not pay yet')
      expect(await said('POST', `/orders/${id}/transitions/pay`)).toBeUndefined()
      const seven = await order({ title: 'Seven', total: 7 })
      expect(await said('DELETE', `/orders/${seven}`, undefined, server().admin)).toBe(
        'Seven of admin 7 stays',
      )
    })

    it('B2: workflows and schedules meet rules as anybody does', async () => {
      await desk.send('POST', '/orders', { title: 'bad', total: 1 })
      await asSystem(server(), 'jobs.tick', {})
      const failed = await desk.send('GET', '/workflows/instances?status=failed', undefined, server().admin)
      expect(failed.body.data.items).toMatchObject([{ error: { code: 'RULE_VIOLATION' } }])
      const run = await desk.send('POST', '/schedules/hourly/run', {}, server().admin)
      expect(run.status).toBe(202)
      await asSystem(server(), 'jobs.tick', {})
      const firings = await desk.send('GET', '/schedules/firings?status=failed', undefined, server().admin)
      expect(firings.body.data.items).toMatchObject([{ error: { code: 'RULE_VIOLATION' } }])
      const entries = await desk.log('&rule=copied')
      expect(entries.map(({ outcome, actor }) => [outcome, actor])).toEqual(
        Array(2).fill(['rejected', { id: null, username: 'system' }]),
      )
      expect((await desk.send('GET', '/copies/count')).body.data.total).toBe(0)
    })

    it('A14: entries of the log are kept for good', async () => {
      await desk.send('POST', '/orders', { total: 60 })
      const before = await desk.log()
      server().clock.advance(3600 * DAY_MS)
      await server().kernel.callAs(SYSTEM)('rules.sweep', {})
      expect(await desk.log()).toEqual(before)
    })
  })

  describe(`the log of rules with retention_days on ${store.name}`, () => {
    it('A14: loses entries once these days are over', async () => {
      const running = await startTestKernel({
        store,
        definition: DEFINITION,
        config: { ...config, rules: { retention_days: 30 } },
      })
      onTestFinished(running.stop)
      const desk = deskOf(() => running, 'shop')
      const sweep = () => running.kernel.callAs(SYSTEM)('rules.sweep', {})
      await desk.send('POST', '/orders', { total: 60 })
      running.clock.advance(20 * DAY_MS)
      await desk.send('POST', '/orders', { total: 101 })
      await sweep()
      expect((await desk.log()).map(({ outcome }) => outcome)).toEqual(['logged', 'rejected'])
      running.clock.advance(11 * DAY_MS)
      expect(await sweep()).toEqual({ removed: 1 })
      expect((await desk.log()).map(({ outcome }) => outcome)).toEqual(['rejected'])
    })
  })
}
