import { SYSTEM } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { SECRET, type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

const BASE = '/api/v1/firm'
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DAY = 86_400_000
const FIRM = `
domain:
  name: firm
  version: '1'
  resources:
    Customer:
      features: { softDelete: true, audit: true }
      object:
        name: { type: string, privacy: { classification: identity } }
        email: { type: email, privacy: { classification: contact, subjectIdentifier: true } }
        kind: string
        createdAt: { type: datetime, autoNow: create }
        updatedAt: { type: datetime, autoNow: update }
        deletedAt: datetime
      permissions: ${OPEN}
    Order:
      object: { text: string, updatedAt: { type: datetime, autoNow: update } }
      relationships: { customer: { type: belongsTo, target: Customer } }
      permissions: ${OPEN}
    Ticket:
      object: { text: { type: string, privacy: { classification: trace } }, closedOn: date }
      permissions: ${OPEN}
    Reply:
      object: { text: string }
      relationships: { ticket: { type: belongsTo, target: Ticket, onDelete: cascade } }
      permissions: ${OPEN}
    Proof:
      object: { text: string }
      relationships: { ticket: { type: belongsTo, target: Ticket, onDelete: restrict } }
      permissions: ${OPEN}
    Visit:
      object: { email: { type: email, privacy: { classification: visit, subjectIdentifier: true } } }
      permissions: ${OPEN}
    Stay:
      object: { text: { type: string, privacy: { classification: stay } }, since: date }
      permissions: ${OPEN}
  privacy:
    permissions: { retention: [keeper], restrict: [keeper], log: [keeper] }
    subjectIdentifier: { primary: email }
    classifications: { identity: {}, contact: {}, trace: { retention: 30d }, visit: {}, stay: {} }
    anonymization: { rules: { email: $pseudonym } }
    retention:
      - { category: contact, duration: 365d, action: anonymize, from: lastActivity, when: "kind != 'old'" }
      - { category: identity, duration: 1d, action: archive, when: "kind == 'old'" }
      - { category: trace, action: delete, from: closedOn }
      - { category: visit, duration: 10d, action: delete }
      - { category: stay, duration: 1mo, action: delete, from: since }
      - { category: contact, hold: true, regulation: Tax law, when: "kind == 'held'" }
`

for (const store of STORES) {
  describe(`sweeps of retention on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: FIRM,
      config: {
        jobs: { enabled: false },
        auth: { jwt: { secret: SECRET, access_token_ttl_seconds: 1_000_000_000 } },
      },
    })
    let keeper: TestAccount
    const send = (method: string, path: string, body?: unknown, token = server().admin) =>
      server().request(method, `${BASE}/${path}`, { token, ...(body !== undefined && { body }) })
    const made = async (path: string, body: object): Promise<string> =>
      (await send('POST', path, body)).body.data.id
    const run = async (body: object = {}) =>
      (await send('POST', 'privacy/retention', body, keeper.token)).body.data
    const of = async (category: string, body: object = {}) => {
      const { items } = await run(body)
      const { due, done, held } = items.find((one: { category: string }) => one.category === category)
      return [due, done, held]
    }
    const status = async (path: string) => (await send('GET', path)).status
    const pass = (days: number) => server().clock.advance(days * DAY)
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})

    beforeAll(async () => {
      keeper = await server().account('keeper', ['keeper'])
      await tick()
    })

    it('P24: anonymizes the fields of the category alone, once, until the record is written again', async () => {
      const id = await made('customers', { name: 'Ann', email: 'ann@example.org', kind: 'new' })
      expect(await of('contact', { dryRun: true })).toEqual([0, 0, 0])
      pass(366)
      const dry = await run({ dryRun: true })
      expect(dry).toMatchObject({ dryRun: true })
      expect(dry.items[0]).toEqual({
        category: 'contact',
        resource: 'Customer',
        action: 'anonymize',
        due: 1,
        done: 0,
        held: 0,
      })
      expect((await send('GET', `customers/${id}`)).body.data.email).toBe('ann@example.org')
      expect(await of('contact')).toEqual([1, 1, 0])
      const { data } = (await send('GET', `customers/${id}`)).body
      expect(data).toMatchObject({ name: 'Ann', email: expect.stringMatching(/^p-.*@anonymous\.invalid$/) })
      const audit = await send('GET', `customers/${id}/audit`)
      expect(JSON.stringify(audit.body)).not.toContain('ann@example.org')
      expect(await of('contact')).toEqual([0, 0, 0])
      await send('PATCH', `customers/${id}`, { email: 'ann@example.com' })
      expect(await of('contact')).toEqual([0, 0, 0])
      pass(366)
      expect(await of('contact')).toEqual([1, 1, 0])
      const log = await send('GET', 'privacy/log?action=sweep&limit=100', undefined, keeper.token)
      expect(log.body.data.items).toContainEqual(
        expect.objectContaining({
          subjectHash: null,
          outcome: 'done',
          details: {
            category: 'contact',
            resource: 'Customer',
            action: 'anonymize',
            due: 1,
            done: 1,
            held: 0,
          },
        }),
      )
    })

    it('F1: a month is one of the calendar, in UTC', async () => {
      const { clock } = server()
      clock.advance(Date.UTC(new Date(clock.now()).getUTCFullYear() + 1, 3, 15, 12) - clock.now())
      const year = new Date(clock.now()).getUTCFullYear()
      const [over, under] = [
        await made('stays', { text: 'over', since: `${year}-03-15` }),
        // Thirty days ago, which is no month.
        await made('stays', { text: 'under', since: `${year}-03-16` }),
      ]
      expect(await of('stay')).toEqual([1, 1, 0])
      expect([await status(`stays/${over}`), await status(`stays/${under}`)]).toEqual([404, 200])
      pass(1)
      expect(await of('stay')).toEqual([1, 1, 0])
    })

    it('P24: passes over what is held, and what is restricted', async () => {
      const held = await made('customers', { email: 'held@example.org', kind: 'held' })
      const bound = await made('customers', { email: 'bound@example.org', kind: 'new' })
      const subject = 'privacy/subject/bound%40example.org'
      await send('POST', `${subject}/restrict`, { reason: 'x' }, keeper.token)
      pass(366)
      expect(await of('contact', { dryRun: true })).toEqual([2, 0, 2])
      expect(await of('contact')).toEqual([2, 0, 2])
      for (const id of [held, bound])
        expect((await send('GET', `customers/${id}`)).body.data.email).toMatch(/example\.org$/)
      await send('POST', `${subject}/unrestrict`, { reason: 'x' }, keeper.token)
      expect(await of('contact')).toEqual([2, 1, 1])
    })

    it('P23: activity is that of the record and of those leading to it', async () => {
      const customerId = await made('customers', { email: 'cid@example.org', kind: 'new' })
      pass(300)
      const order = await made('orders', { text: 'x', customerId })
      pass(100)
      expect((await of('contact'))[1]).toBe(0)
      await send('PATCH', `orders/${order}`, { text: 'y' })
      pass(364)
      expect((await of('contact'))[1]).toBe(0)
      pass(2)
      expect((await of('contact'))[1]).toBe(1)
    })

    it('P24: archives softly, and what is restored is due again', async () => {
      const id = await made('customers', { name: 'Dan', email: 'dan@example.org', kind: 'old' })
      pass(2)
      expect(await of('identity')).toEqual([1, 1, 0])
      expect(await status(`customers/${id}`)).toBe(404)
      expect(await of('identity')).toEqual([0, 0, 0])
      await send('POST', `customers/${id}/restore`)
      expect(await of('identity')).toEqual([1, 1, 0])
    })

    it('P24: deletes with what goes along; what others keep is anonymized in place', async () => {
      const closedOn = new Date(server().clock.now()).toISOString().slice(0, 10)
      const [free, kept, open] = [
        await made('tickets', { text: 'free', closedOn }),
        await made('tickets', { text: 'kept', closedOn }),
        await made('tickets', { text: 'open' }),
      ]
      const reply = await made('replies', { text: 'x', ticketId: free })
      await made('proofs', { text: 'x', ticketId: kept })
      pass(29)
      expect(await of('trace')).toEqual([0, 0, 0])
      pass(2)
      expect(await of('trace')).toEqual([2, 2, 0])
      expect([await status(`tickets/${free}`), await status(`replies/${reply}`)]).toEqual([404, 404])
      expect((await send('GET', `tickets/${kept}`)).body.data.text).toBeNull()
      expect((await send('GET', `tickets/${open}`)).body.data.text).toBe('open')
      expect(await of('trace')).toEqual([0, 0, 0])
    })

    it('P23: without createdAt the time counts from the key; many go in slices', async () => {
      const items = Array.from({ length: 60 }, (_, at) => ({ email: `v${at}@example.org` }))
      await send('POST', 'visits/bulk', { items })
      expect(await of('visit')).toEqual([0, 0, 0])
      pass(11)
      const late = await made('visits', { email: 'late@example.org' })
      expect(await of('visit')).toEqual([60, 60, 0])
      expect((await send('GET', 'visits')).body.data.items).toMatchObject([{ id: late }])
      const log = await send('GET', 'privacy/log?action=sweep&limit=1000', undefined, keeper.token)
      const about = log.body.data.items.filter(
        ({ details }: { details: { resource: string; done: number } }) =>
          details.resource === 'Visit' && details.done === 60,
      )
      expect(about).toHaveLength(1)
    })

    it('P24: is done by itself, once a day', async () => {
      const id = await made('visits', { email: 'daily@example.org' })
      pass(11)
      await tick()
      await expect.poll(() => status(`visits/${id}`), { timeout: 10_000 }).toBe(404)
      const second = await made('visits', { email: 'second@example.org' })
      await tick()
      expect(await status(`visits/${second}`)).toBe(200)
    })

    it.each([[{ dryRun: 'false' }], [{ dryrun: true }], [{ dryRun: null }]])(
      'P24: %j is 422',
      async (body) => {
        const answer = await send('POST', 'privacy/retention', body, keeper.token)
        expect([answer.status, answer.body.error_code]).toEqual([422, 'VALIDATION_ERROR'])
      },
    )

    it('P24: is permitted by retention alone', async () => {
      expect((await send('POST', 'privacy/retention', {})).status).toBe(403)
    })
  })
}
