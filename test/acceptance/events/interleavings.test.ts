import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { QUIET, tick } from '../workflows/desk.ts'

const RUNS = size('WAIT_RUNS', { smoke: 8, whole: 500 })
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'] }"
const HOUR = 3_600_000

/** What the waits of a workflow listen for, one after the other; a filter may be found by its field, or not. */
const AMOUNTS = [1, 2, 1, 3]
const FILTERS = {
  indexed: (amount: number) => `orderId == $trigger.record.id and amount == ${amount}`,
  asked: (amount: number) =>
    `concat(orderId, '') == $trigger.record.id and amount > ${amount - 1} and amount < ${amount + 1}`,
}
const workflow = (name: keyof typeof FILTERS) => `
    ${name}:
      trigger: { resource: Order, event: create, condition: title == '${name}' }
      steps:
${AMOUNTS.map(
  (
    amount,
    at,
  ) => `        w${at}: { wait: { resource: Payment, event: create, filter: "${FILTERS[name](amount)}", timeout: { duration: 1h, then: ${at + 1 < AMOUNTS.length ? `n${at}` : 'end'} } } }
        n${at}: { action: create, target: Payment, input: { orderId: $trigger.record.id, amount: ${amount} } }`,
).join('\n')}
`
const DEFINITION = `
domain:
  name: shop
  version: '1.0.0'
  resources:
    Order: { object: { title: string }, permissions: ${OPEN} }
    Payment: { object: { orderId: uuid, amount: integer }, permissions: ${OPEN} }
  workflows:${workflow('indexed')}${workflow('asked')}
`

type Move =
  | { readonly kind: 'pay'; readonly amounts: readonly number[] }
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'work' }
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      amounts: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      minutes: fc.constantFrom(1, 29, 30, 31, 60, 61, 200),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'work' as const }) },
)

/** What becomes of a line: the reference, which knows all events and looks at them when work is done. */
class Reference {
  readonly ended: string[] = []
  readonly #events: { readonly amount: number; readonly at: number }[] = []
  #heard = 0
  #until: number | undefined

  pay(amount: number, at: number): void {
    this.#events.push({ amount, at })
  }

  work(now: number): void {
    while (this.ended.length < AMOUNTS.length) {
      this.#until ??= now + HOUR
      const until = this.#until
      const wanted = AMOUNTS[this.ended.length]
      const found = this.#events.findIndex(
        ({ amount, at }, index) => index >= this.#heard && at <= until && amount === wanted,
      )
      if (found >= 0) this.#end(`heard ${wanted}`, found + 1)
      else if (now >= until) {
        const later = this.#events.findIndex(({ at }) => at > until)
        this.#end('timed_out', later < 0 ? this.#events.length : later)
      } else return
    }
  }

  #end(how: string, heard: number): void {
    this.ended.push(how)
    this.#heard = heard
    this.#until = undefined
  }
}

for (const store of STORES) {
  describe(`waits under any interleaving on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION, config: QUIET })
    const post = async (path: string, body: object) => {
      const answer = await server().request('POST', `/api/v1/shop/${path}`, { body })
      expect(answer.status).toBeLessThan(300)
      return answer.body.data
    }
    const steps = async (recordId: string) => {
      const get = async (path: string) =>
        (await server().request('GET', `/api/v1/shop/workflows/instances${path}`, { token: server().admin }))
          .body.data
      const { items } = await get(`?recordId=${recordId}`)
      const instance = await get(`/${items[0].id as string}`)
      return instance.steps
        .filter(
          ({ kind, status }: { kind: string; status: string }) => kind === 'wait' && status !== 'waiting',
        )
        .map(({ status, event }: { status: string; event: { record: { amount: number } } | null }) =>
          event === null ? status : `heard ${event.record.amount}`,
        ) as string[]
    }

    for (const name of ['indexed', 'asked'] as const)
      it(
        `W7: hear each event once, in order and in time, ${name}`,
        async () => {
          await fc.assert(
            fc.asyncProperty(fc.array(move, { maxLength: 14 }), async (moves) => {
              await tick(server())
              const { id } = await post('orders', { title: name })
              const reference = new Reference()
              for (const one of moves) {
                if (one.kind === 'pass') server().clock.advance(one.minutes * 60_000)
                else if (one.kind === 'work') {
                  await tick(server())
                  reference.work(server().clock.now())
                } else if (one.amounts.length === 1) {
                  await post('payments', { orderId: id, amount: one.amounts[0] })
                  reference.pay(one.amounts[0]!, server().clock.now())
                } else {
                  await post('payments/bulk', {
                    items: one.amounts.map((amount) => ({ orderId: id, amount })),
                  })
                  for (const amount of one.amounts) reference.pay(amount, server().clock.now())
                }
              }
              await tick(server())
              reference.work(server().clock.now())
              expect(await steps(id)).toEqual(reference.ended)
            }),
            { numRuns: RUNS },
          )
        },
        60_000 + RUNS * 6000,
      )
  })
}
