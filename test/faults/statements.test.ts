import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { size } from '../kit/size.ts'
import { STORES } from '../kit/stores.ts'
import { useTestKernel } from '../kit/test-kernel.ts'
import { Weak } from '../kit/weak.ts'

// Writes that reject, warn, start an instance, wake another and raise messages, with a failure and with a death at each of
// their statements in turn: what they promise is there as they are, or neither is.

/** Every how many statements something happens. */
const STRIDE = size('STATEMENTS_STRIDE', { smoke: 5, whole: 1 })
/** No write here takes so many. */
const MANY = 200
const LEASE_MS = 31_000

const notification = (name: string) =>
  `notification: { channels: [log, email], recipients: { field: contact }, template: { subject: ${name}, body: '${name} {ref}' } }`
const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Ticket: { object: { ref: string }, permissions: &all { list: ['*'], get: ['*'], create: ['*'] } }
    Note: { object: { text: string, ref: string }, permissions: *all }
    Order:
      features: { audit: true, versioning: true }
      history: { events: { made: { on: create, label: made } } }
      object: { ref: string, total: integer, limit: integer, contact: string }
      permissions: *all
  rules:
    large: { trigger: { resource: Order, on: create }, condition: total > 100, action: reject, message: Too large, ${notification('large')} }
    unclear: { trigger: { resource: Order, on: create }, condition: total > limit, action: reject, message: Over its limit }
    big: { trigger: { resource: Order, on: create }, condition: total > 50, action: warn, message: Big, history: true, ${notification('big')} }
  workflows:
    waiting:
      trigger: { resource: Ticket, event: create }
      steps:
        heard: { wait: { resource: Order, event: create, filter: 'ref == $trigger.record.ref', timeout: { duration: 30d, then: end } } }
        woken: { action: create, target: Note, input: { text: woken, ref: $trigger.record.ref } }
    following:
      trigger: { resource: Order, event: create }
      steps:
        started: { action: create, target: Note, input: { text: started, ref: $record.ref } }
`
for (const store of STORES) {
  describe(`a write that promises much, on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: DEFINITION,
      config: {
        jobs: { enabled: false },
        auth: {
          jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 315_360_000 },
        },
      },
    })
    let weak: Weak | undefined
    const base = '/api/v1/shop'
    const get = async (path: string) =>
      (await server().request('GET', `${base}${path}`, { token: server().admin })).body.data
    const post = (path: string, body: object) => server().request('POST', `${base}${path}`, { body })
    const settle = async () => {
      // Whatever died with its lease is somebody else's by then.
      server().clock.advance(LEASE_MS)
      await server().kernel.callAs(SYSTEM)('jobs.tick', {})
    }
    /** What there is of one write, by the mark that it bears. */
    const traces = async (ref: string, logged: number, raised: number) => {
      const [order] = (await get(`/orders?filter[ref]=${ref}`)).items
      const log = (await get('/rules/log?limit=1000')).items.slice(0, -logged || undefined)
      const messages = (await get('/notifications?limit=1000')).items.slice(0, -raised || undefined)
      const notes = (await get(`/notes?filter[ref]=${ref}`)).items
      return {
        orders: order === undefined ? 0 : 1,
        timeline: order === undefined ? 0 : (await get(`/orders/${order.id}/history`)).items.length,
        log: log.map(({ rule, outcome }: Record<string, string>) => `${rule} ${outcome}`).toSorted(),
        messages: messages
          .map(({ name, channel, status }: Record<string, string>) => `${name} ${channel} ${status}`)
          .toSorted(),
        notes: notes.map(({ text }: { text: string }) => text).toSorted(),
      }
    }
    const NOTHING = { orders: 0, timeline: 0, log: [], messages: [], notes: [] }
    const told = (name: string) => [`rules.${name} email logged`, `rules.${name} log logged`]

    /** The write with something wrong at one point after another, until there is none; each leaves all of it, or nothing. */
    async function everywhere(how: 'fails' | 'dies', body: object, whole: object, status: number) {
      weak ??= new Weak(server().kernel.get(StoreCapability))
      let [none, all] = [0, 0]
      for (let n = 1; n < MANY; n += STRIDE) {
        const ref = `${how}${status}at${n}`
        expect((await post('/tickets', { ref })).status).toBe(201)
        await settle()
        const logged = (await get('/rules/log?limit=1000')).items.length
        const raised = (await get('/notifications?limit=1000')).items.length
        const [answer, isMet] = await weak.failing(n, how, () => post('/orders', { ...body, ref }))
        await settle()
        await settle()
        const found = await traces(ref, logged, raised)
        const isWhole = JSON.stringify(found) !== JSON.stringify(NOTHING)
        if (isWhole) all += 1
        else none += 1
        expect(found, `${how} at ${n}: ${answer.status}`).toEqual(isWhole ? whole : NOTHING)
        // Who was told of it finds it.
        if (answer.status === status) expect([n, isWhole]).toEqual([n, true])
        else expect(answer.status).toBeGreaterThanOrEqual(500)
        if (!isMet) return { none, all }
      }
      throw new Error('there is no end to the statements')
    }

    it.each(['fails', 'dies'] as const)(
      'J1, B8, N4, W7: that is accepted leaves all of it or nothing, whichever statement %s',
      async (how) => {
        const body = { total: 60, contact: 'ada@example.org' }
        const whole = {
          orders: 1,
          timeline: 2,
          log: ['big warned', 'unclear undecided'],
          messages: told('big'),
          notes: ['started', 'woken'],
        }
        const { none, all } = await everywhere(how, body, whole, 201)
        expect([none > 2, all > 0]).toEqual([true, true])
      },
      300_000,
    )

    it.each(['fails', 'dies'] as const)(
      'J1, B7, B8: that is refused leaves its entry and its messages or nothing, whichever statement %s',
      async (how) => {
        const body = { total: 101, limit: 200, contact: 'ada@example.org' }
        const whole = { ...NOTHING, log: ['large rejected'], messages: told('large') }
        const { none, all } = await everywhere(how, body, whole, 422)
        expect([none > 0, all > 0]).toEqual([true, true])
      },
      300_000,
    )
  })
}
