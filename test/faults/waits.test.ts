import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { QUIET, tick } from '../acceptance/workflows/desk.ts'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { type TestKernel, useTestKernel } from '../kit/test-kernel.ts'
import { Power } from './power.ts'

// An event and a timeout of one wait, looked at by a server that dies: at each statement and each commit in turn. Whatever
// comes of it, it is what would have come without, and it comes once.

/** Every how many statements and commits the server dies, in each race from another one on. */
const STRIDE = size('WAIT_STRIDE', { smoke: 101, whole: 1 })

const LEASE_MS = 31_000
const MINUTE_MS = 60_000
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const FILTERS = {
  indexed: 'orderId == $trigger.record.id',
  asked: "concat(orderId, '') == $trigger.record.id",
}
const workflow = ([name, filter]: readonly string[]) => `
    ${name}:
      trigger: { resource: Order, event: create, condition: title == '${name}' }
      steps:
        first: { wait: { resource: Payment, event: create, filter: "${filter}", timeout: { duration: 1h, then: late } } }
        paid: { action: create, target: Note, input: { orderId: $trigger.record.id, text: "paid {$event.record.amount}" } }
        second: { wait: { resource: Payment, event: create, filter: "${filter}", timeout: { duration: 1h, then: end } } }
        more: { action: create, target: Note, input: { orderId: $trigger.record.id, text: "more {$event.record.amount}" }, then: end }
        late: { action: create, target: Note, input: { orderId: $trigger.record.id, text: late }, then: second }
`
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order: { object: { title: string }, permissions: ${OPEN} }
    Payment: { object: { orderId: uuid, amount: integer }, permissions: ${OPEN} }
    Note: { object: { orderId: uuid, text: string }, permissions: ${OPEN} }
  workflows:${Object.entries(FILTERS).map(workflow).join('')}
`

interface Race {
  readonly name: keyof typeof FILTERS
  /** When it is paid, in minutes since the wait began, whose time is over after 60; nobody looks until the end. */
  readonly paid: readonly number[]
  readonly notes: readonly string[]
}
const RACES: readonly Race[] = (['indexed', 'asked'] as const).flatMap((name) => [
  { name, paid: [59], notes: ['paid 59'] },
  { name, paid: [61], notes: ['late', 'more 61'] },
  { name, paid: [59, 61], notes: ['paid 59', 'more 61'] },
  { name, paid: [], notes: ['late'] },
])

async function run(server: TestKernel, power: Power, { name, paid }: Race, death: number) {
  const post = async (path: string, body: object) => {
    const answer = await server.request('POST', `/api/v1/shop/${path}`, { body })
    expect(answer.status).toBe(201)
    return answer.body.data.id as string
  }
  const get = async (path: string) =>
    (await server.request('GET', `/api/v1/shop/${path}`, { token: server.admin })).body.data
  const id = await post('orders', { title: name })
  await tick(server)
  let now = 0
  for (const amount of [...paid, 62]) {
    server.clock.advance((amount - now) * MINUTE_MS)
    now = amount
    if (paid.includes(amount)) await post('payments', { orderId: id, amount })
  }
  power.moments = 0
  power.left = death
  for (let isOver = false; !isOver;) {
    await server.kernel
      .callAs(SYSTEM)('jobs.tick', {})
      .catch(() => undefined)
    isOver = power.left > 0
    if (isOver) break
    power.left = Infinity
    server.clock.advance(LEASE_MS)
  }
  const { moments } = power
  power.left = Infinity
  server.clock.advance(62 * MINUTE_MS)
  await tick(server)
  const { items } = await get(`workflows/instances?recordId=${id}`)
  const { status, steps } = await get(`workflows/instances/${items[0].id as string}`)
  const notes = await get(`notes?filter[orderId]=${id}&sort=id`)
  return {
    moments,
    outcome: {
      status,
      notes: notes.items.map(({ text }: { text: string }) => text),
      steps: steps.map((step: { name: string; status: string }) => `${step.name} ${step.status}`),
    },
  }
}

for (const store of STORES) {
  describe(`waits of a server that dies, on ${store.name}`, () => {
    const server = useTestKernel({ store, config: QUIET, definition: DEFINITION })

    it('W7, J2: wherever it dies, an event and a timeout end a wait once, and as they would have', async () => {
      const power = new Power(server().kernel.get(StoreCapability), 'statements')
      let deaths = 0
      for (const [at, race] of RACES.entries()) {
        const { moments, outcome } = await run(server(), power, race, Infinity)
        expect(outcome).toMatchObject({ status: 'completed', notes: race.notes })
        for (let death = 1 + ((at * 41) % STRIDE); death <= moments; death += STRIDE) {
          deaths += 1
          const again = await run(server(), power, race, death)
          expect(again.outcome, `${JSON.stringify(race)}, death at moment ${death}`).toEqual(outcome)
        }
      }
      expect(deaths).toBeGreaterThan(0)
      process.stdout.write(`${store.name}: ${deaths} deaths in ${RACES.length} races\n`)
    }, 900_000)
  })
}
