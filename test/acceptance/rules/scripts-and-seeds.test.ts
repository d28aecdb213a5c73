import { SeederCapability } from '@svc/seeder/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder } from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { deskOf, OPEN } from './desk.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order:
      object:
        title: { type: string, required: true }
        total: { type: integer, default: 0 }
        status: { type: string, enum: [open, sent] }
      stateMachine:
        field: status
        initial: open
        states:
          open: { onExit: [judge], transitions: { send: { to: sent } } }
          sent: { final: true }
      permissions: ${OPEN}
  rules:
    guard:
      trigger: { resource: Order, on: create }
      condition: "title startsWith 'bad'"
      action: reject
      message: 'Not {title}'
    heavy:
      trigger: { resource: Order, on: transition }
      condition: total > 10
      action: reject
      message: Too much
`

const SCRIPT = `
on('svc.shop.order.created', (event, { call }) => {
  if (event.record.title === 'script') return call('svc.shop.order.create', { data: { title: 'bad by a script' } })
})
on('svc.shop.order.judge', async (event, { call }) => {
  if (event.record.title === 'refused') throw new Error('the judge says no')
  if (event.record.title === 'grows') await call('svc.shop.order.update', { id: event.id, data: { total: 11 } })
})
`

const SEEDS = `
data:
  shop:
    Order:
      - { title: seeded }
      - { title: bad by the seeder }
`

for (const store of STORES) {
  describe(`scripts, seeds, hooks and rules on ${store.name}`, () => {
    const folder = createFolder()
    let running: TestKernel
    beforeAll(async () => {
      folder.write(SCRIPT, 'orders.js')
      const seeder = { seed_file: folder.write(SEEDS, 'seeds.yaml') }
      const config = { scripting: { dir: folder.path }, seeder, jobs: { enabled: false } }
      running = await startTestKernel({ store, definition: DEFINITION, config })
    })
    afterAll(async () => {
      await running?.stop()
      folder.remove()
    })
    const desk = deskOf(() => running, 'shop')
    const { send } = desk
    const order = async (values: object) => {
      const { status, body } = await send('POST', '/orders', values)
      expect(status).toBe(201)
      return body.data.id as string
    }
    const titles = async (title: string) =>
      (await send('GET', `/orders?filter[title]=${encodeURIComponent(title)}`)).body.data.items.length
    const rejected = async () =>
      (await desk.log('&outcome=rejected')).map(({ rule, message, actor }) => [
        rule,
        message,
        (actor as { username: string | null }).username,
      ])

    it('B2: a script is refused as anybody is, and the log says so', async () => {
      await order({ title: 'script' })
      await expect.poll(rejected).toContainEqual(['guard', 'Not bad by a script', expect.anything()])
      expect(await titles('bad by a script')).toBe(0)
    })

    it('B2: a seed is refused with the rule that refused it', async () => {
      await expect(running.kernel.get(SeederCapability).run()).rejects.toThrow(
        /RULE_VIOLATION|Not bad by the seeder/,
      )
      expect(await rejected()).toContainEqual(['guard', 'Not bad by the seeder', expect.anything()])
      expect(await titles('bad by the seeder')).toBe(0)
    })

    it('B3: hooks come first: one that refuses keeps the rule from being asked', async () => {
      const id = await order({ title: 'refused', total: 50 })
      const before = await desk.log()
      const { body } = await send('POST', `/orders/${id}/transitions/send`)
      expect(body.error_code).toBe('HOOK_FAILED')
      expect(await desk.log()).toEqual(before)
    })

    it('B3: a rule meets the record as hooks have left it', async () => {
      const id = await order({ title: 'grows', total: 1 })
      const { body } = await send('POST', `/orders/${id}/transitions/send`)
      expect([body.error_code, body.data?.rule]).toEqual(['RULE_VIOLATION', 'heavy'])
      expect((await send('GET', `/orders/${id}`)).body.data.status).toBe('open')
    })
  })
}
