import { SYSTEM } from '@svc/kernel'
import { beforeEach, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { QUIET } from '../workflows/desk.ts'

const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const mine = 'filter: orderId == $trigger.record.id'
const paid = `resource: Payment, event: create, ${mine}`
const note = (text: string) =>
  `{ action: create, target: Note, input: { orderId: $trigger.record.id, text: ${text} } }`
const WORKFLOWS = `
    paid:
      trigger: { resource: Order, event: create, condition: title == 'paid' }
      steps:
        wait: { wait: { ${paid}, timeout: { duration: 2h, then: late } }, condition: amount >= 10, then: full, else: part }
        full: { action: create, target: Note, input: { orderId: $trigger.record.id, text: "$(format('full {0}', $event.record.amount))" }, then: end }
        part: { action: create, target: Note, input: { orderId: $trigger.record.id, text: part }, then: end }
        late: { action: create, target: Note, input: { orderId: $trigger.record.id, text: late }, then: end }
    twice:
      trigger: { resource: Order, event: create, condition: title == 'twice' }
      steps:
        first: { wait: { ${paid}, timeout: { duration: 2h, then: noted } } }
        noted: ${note('one')}
        second: { wait: { ${paid}, timeout: { duration: 2h, then: again } } }
        again: ${note('two')}
    own:
      trigger: { resource: Order, event: create, condition: title == 'own' }
      steps:
        touch: { action: update, input: { status: touched } }
        wait: { wait: { resource: Order, event: update, filter: id == $trigger.record.id, timeout: { duration: 2h, then: end } } }
        noted: ${note('heard')}
    deadline:
      trigger: { resource: Order, event: create, condition: title == 'deadline' }
      steps:
        first: { wait: { ${paid.replace(mine, `${mine} and amount == 1`)}, timeout: { duration: 1h, then: late } } }
        early: { action: create, target: Note, input: { orderId: $trigger.record.id, text: early }, then: end }
        late: ${note('late')}
        second: { wait: { ${paid.replace(mine, `${mine} and amount == 1`)}, timeout: { duration: 1h, then: end } } }
        after: ${note('after')}
    pause:
      trigger: { resource: Order, event: create, condition: title == 'pause' }
      steps:
        rest: { wait: { timeout: { duration: 1h } } }
        first: { wait: { ${paid}, timeout: { duration: 1h, then: end } } }
        noted: { action: create, target: Note, input: { orderId: $trigger.record.id, text: "$(format('heard {0}', $event.record.amount))" } }
    any:
      trigger: { resource: Order, event: create, condition: title == 'any' }
      steps:
        wait: { wait: { resource: Payment, event: create, filter: amount > 100, timeout: { duration: 2h, then: end } } }
        noted: ${note('any')}
    dear:
      trigger: { resource: Order, event: create, condition: title == 'dear' }
      steps:
        wait: { wait: { resource: Order, event: history, history: dear, filter: id == $trigger.record.id, timeout: { duration: 2h, then: end } } }
        noted: ${note('dear')}
    both:
      trigger: { resource: Order, event: create, condition: title == 'both' }
      steps:
        split: { parallel: { steps: [a, b] }, then: end }
        a: { wait: { ${paid}, timeout: { duration: 2h, then: end } } }
        b: { wait: { resource: Order, event: transition, transition: finish, filter: id == $trigger.record.id, timeout: { duration: 2h, then: end } } }
    touched:
      trigger: { resource: Order, event: fieldChange, field: cost, condition: title == 'touched' }
      steps:
        wait: { wait: { resource: Order, event: fieldChange, field: cost, filter: id == $trigger.record.id, timeout: { duration: 2h, then: end } } }
        noted: { action: create, target: Note, input: { orderId: $trigger.record.id, text: "$(format('{0} to {1}', $event.previous.cost, $event.record.cost))" } }
`
const definition = (version: string, workflows = WORKFLOWS) => `
domain:
  name: shop
  version: '${version}'
  resources:
    Order:
      object: { title: string, cost: integer, status: { type: string, enum: [open, touched, done] } }
      stateMachine:
        field: status
        initial: open
        states: { open: { transitions: { finish: { to: done }, touch: { to: touched } } }, touched: {}, done: {} }
      history: { events: { dear: { on: fieldChange, field: cost, condition: cost > 10, label: Dear } } }
      permissions: ${OPEN}
    Payment:
      object: { orderId: uuid, amount: integer }
      permissions: ${OPEN}
    Note:
      object: { orderId: uuid, text: string }
      permissions: ${OPEN}
  workflows:${workflows}
`
const HOUR = 3_600_000

for (const store of STORES) {
  describe(`waits on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: definition('1.0.0'), config: QUIET })
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})
    const send = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
      const answer = await server().request(method, `/api/v1/shop/${path}`, {
        token: server().admin,
        ...(body && { body }),
      })
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body.data
    }
    const make = async (title: string) => (await send('POST', 'orders', { title, cost: 1 })).id as string
    const pay = (orderId: string, amount: number) => send('POST', 'payments', { orderId, amount })
    const notes = async (order: string) =>
      (await send('GET', `notes?filter[orderId]=${order}&sort=id`)).items.map(
        ({ text }: { text: string }) => text,
      ) as string[]
    const instance = async (recordId: string) => {
      const { items } = await send('GET', `workflows/instances?recordId=${recordId}`)
      return send('GET', `workflows/instances/${items[0].id as string}`)
    }

    beforeEach(async () => {
      await tick()
    })

    it('W6: goes on with the first event that its filter takes, and says by its condition where to', async () => {
      const [order, other] = [await make('paid'), await make('paid')]
      await tick()
      expect(await instance(order)).toMatchObject({
        status: 'waiting',
        waitingFor: [{ step: 'wait', resource: 'Payment', event: 'create' }],
      })
      await pay(other, 3)
      await pay(order, 20)
      await pay(order, 2)
      await tick()
      expect(await notes(order)).toEqual(['full 20'])
      expect(await notes(other)).toEqual(['part'])
      const { status, steps } = await instance(order)
      expect(status).toBe('completed')
      expect(steps[0]).toMatchObject({ name: 'wait', status: 'completed', event: { record: { amount: 20 } } })
    })

    it('W6: goes on to timeout.then where nothing came in time', async () => {
      const order = await make('paid')
      await tick()
      server().clock.advance(2 * HOUR + 1)
      await tick()
      expect(await notes(order)).toEqual(['late'])
      await pay(order, 20)
      await tick()
      expect(await notes(order)).toEqual(['late'])
    })

    it('W6: hears every record that its filter takes where that names none', async () => {
      const orders = [await make('any'), await make('any'), await make('any')]
      await tick()
      await pay(orders[0]!, 100)
      await tick()
      expect(await notes(orders[1]!)).toEqual([])
      await pay(orders[0]!, 101)
      await tick()
      for (const order of orders) expect(await notes(order)).toEqual(['any'])
    })

    it('W7: loses nothing that came between two steps', async () => {
      const order = await make('twice')
      await pay(order, 1)
      await pay(order, 2)
      await tick()
      expect(await notes(order)).toEqual(['one', 'two'])
    })

    it('W7: hears nothing twice on a line', async () => {
      const order = await make('twice')
      await tick()
      await pay(order, 1)
      await tick()
      expect(await notes(order)).toEqual(['one'])
      expect((await instance(order)).status).toBe('waiting')
      await pay(order, 2)
      await tick()
      expect(await notes(order)).toEqual(['one', 'two'])
    })

    it('W7: hears nothing that its own steps have made, and what others make', async () => {
      const order = await make('own')
      await tick()
      expect(await instance(order)).toMatchObject({ status: 'waiting' })
      await send('PATCH', `orders/${order}`, { cost: 5 })
      await tick()
      expect(await notes(order)).toEqual(['heard'])
    })

    it('W7: takes what was committed before the deadline, however late it is looked at', async () => {
      const order = await make('deadline')
      await tick()
      server().clock.advance(HOUR - 1000)
      await pay(order, 1)
      server().clock.advance(5 * HOUR)
      await tick()
      expect(await notes(order)).toEqual(['early'])
    })

    it('W7: leaves what was committed after the deadline to the next wait', async () => {
      const order = await make('deadline')
      await tick()
      server().clock.advance(HOUR - 1000)
      await pay(order, 7)
      server().clock.advance(2000)
      await pay(order, 1)
      server().clock.advance(1000)
      await tick()
      expect(await notes(order)).toEqual(['late', 'after'])
    })

    it('W7: hears after a rest what was committed since that was over, and nothing of before', async () => {
      const order = await make('pause')
      await pay(order, 1)
      await tick()
      await pay(order, 2)
      server().clock.advance(HOUR + 1000)
      await pay(order, 3)
      await pay(order, 4)
      await tick()
      expect(await notes(order)).toEqual(['heard 3'])
    })

    it('W7: counts events of one commit in the order in which they were written', async () => {
      const order = await make('paid')
      await tick()
      const items = [7, 30, 8].map((amount) => ({ orderId: order, amount }))
      await send('POST', 'payments/bulk', { items })
      await tick()
      expect(await notes(order)).toEqual(['part'])
    })

    it('W7: does not hear the write that started the instance', async () => {
      const order = await make('touched')
      await send('PATCH', `orders/${order}`, { cost: 2 })
      await tick()
      expect(await notes(order)).toEqual([])
      await send('PATCH', `orders/${order}`, { cost: 3 })
      await tick()
      expect(await notes(order)).toContain('2 to 3')
    })

    it('W1: an event of the timeline ends a wait', async () => {
      const order = await make('dear')
      await tick()
      await send('PATCH', `orders/${order}`, { cost: 5 })
      await tick()
      expect(await notes(order)).toEqual([])
      await send('PATCH', `orders/${order}`, { cost: 50 })
      await tick()
      expect(await notes(order)).toEqual(['dear'])
    })

    it('W5: lines side by side hear for themselves', async () => {
      const order = await make('both')
      await send('POST', `orders/${order}/transitions/finish`)
      await tick()
      expect((await instance(order)).status).toBe('waiting')
      await pay(order, 1)
      await tick()
      expect((await instance(order)).status).toBe('completed')
    })

    it('W3: an instance hears by the text that it started with, when that is gone too', async () => {
      const [order, resting] = [await make('paid'), await make('paid')]
      await tick()
      await server().submit(definition('1.1.0', ' {}'))
      await pay(order, 20)
      await tick()
      await server().submit(definition('1.2.0'))
      await pay(resting, 30)
      await tick()
      expect(await notes(order)).toEqual(['full 20'])
      expect(await notes(resting)).toEqual(['full 30'])
    })

    it('J1: an event that nobody can hear any more is gone after a while', async () => {
      const order = await make('paid')
      await pay(order, 20)
      await tick()
      for (let at = 0; at < 3; at += 1) {
        server().clock.advance(70_000)
        await tick()
      }
      const kept = await make('twice')
      await pay(kept, 1)
      await tick()
      server().clock.advance(70_000)
      await tick()
      await pay(kept, 2)
      await tick()
      expect(await notes(kept)).toEqual(['one', 'two'])
    })
  })
}
