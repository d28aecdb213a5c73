import { SYSTEM } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSink, type Sink, type SinkAnswer } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { SHOP } from '../live/shop.ts'

const ROOT = '/api/v1/admin/webhooks'
const SOON = { timeout: 10_000, interval: 20 }
const MINUTE = 60_000
const HOUR = 60 * MINUTE

for (const store of STORES) {
  describe(`webhook endpoints on ${store.name}`, () => {
    const server = useTestKernel({
      store,
      definition: SHOP,
      config: {
        outbound: { allow_private: ['127.0.0.1'] },
        webhooks: { max_endpoints: 4, timeout_ms: 500 },
        jobs: { enabled: false },
        auth: {
          jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 10_000_000 },
        },
      },
    })
    let sink: Sink
    let answer: (path: string) => SinkAnswer = () => ({ status: 204 })
    let keeper: TestAccount
    const made: string[] = []
    beforeAll(async () => {
      sink = await startSink(({ path }) => answer(path))
      keeper = await server().account('keeper', ['keeper'])
    })
    afterAll(() => sink.stop())

    const ask = async (method: string, path = '', body?: unknown, token = server().admin) => {
      const options = { token, ...(body !== undefined && { body }) }
      return server().request(method, `${ROOT}${path}`, options)
    }
    const tick = () => server().kernel.callAs(SYSTEM)('jobs.tick', {})
    const endpoint = async (path: string, more: object = {}) => {
      for (const id of made.splice(0)) await ask('DELETE', `/${id}`)
      const body = { url: `${sink.url}/${path}`, events: ['svc.shop.*'], as: 'keeper', ...more }
      const { status, body: said } = await ask('POST', '', body)
      expect(status, JSON.stringify(said)).toBe(201)
      made.push(said.data.id)
      return said.data as { id: string; secret: string }
    }
    const note = async (text: string) => {
      const { body } = await server().request('POST', '/api/v1/shop/notes', { body: { text } })
      return body.data.id as string
    }
    const got = (path: string) => sink.received.filter((one) => one.path === `/${path}`)
    const texts = (path: string) => got(path).map(({ body }) => JSON.parse(body).data.record?.text)
    const deliveries = async (id: string, query = '') =>
      (await ask('GET', `/${id}/deliveries${query}`)).body.data.items as any[]

    it('9.2: names that no event has, and an account that may be told nothing, are warned of', async () => {
      const warned = async (method: string, path: string, body: object) => {
        const answer = await ask(method, path, body)
        if (method === 'POST') made.push(answer.body.data.id)
        expect(answer.status).toBe(method === 'POST' ? 201 : 200)
        return (answer.body.warnings ?? []).map((one: { message: string }) => one.message)
      }
      for (const id of made.splice(0)) await ask('DELETE', `/${id}`)
      const wrong = ['svc.shop.nott.created', 'svc.shop.note.create', 'svc.nope.*', 'svc.*.*.creatd']
      const no = 'No event of the definitions in force is called'
      const told = [
        `${no} 'svc.shop.nott.created': did you mean 'svc.shop.note.created'?`,
        `${no} 'svc.shop.note.create': did you mean 'svc.shop.note.created'?`,
        `${no} 'svc.nope.*': did you mean 'svc.shop.*'?`,
        `${no} 'svc.*.*.creatd': did you mean 'svc.*.*.created'?`,
      ]
      const right = [
        '*',
        'svc.*',
        'svc.shop.*',
        'svc.*.*.created',
        'svc.shop.note.removed',
        'svc.shop.note.schemaChanged',
      ]
      const url = `${sink.url}/doubted`
      expect(await warned('POST', '', { url, events: [...wrong, ...right] })).toEqual(told)
      expect(await warned('POST', '', { url, events: right })).toEqual([])
      await server().account('reads-nothing')
      const shut =
        "'reads-nothing' may list none of the records that 'svc.shop.tag.*' tells of: nothing is delivered until that account may"
      const as = 'reads-nothing'
      expect(await warned('POST', '', { url, events: ['svc.shop.tag.*'], as })).toEqual([shut])
      const { id } = await endpoint('doubted')
      expect(await warned('PATCH', `/${id}`, { description: 'only that' })).toEqual([])
      expect(await warned('PATCH', `/${id}`, { events: ['svc.shop.note.create'] })).toEqual([told[1]])
      expect(await warned('PATCH', `/${id}`, { events: ['svc.shop.tag.*'], as })).toEqual([shut])
    })

    it('9.2: shows its secret once, and header values never', async () => {
      const { id, secret } = await endpoint('shown', { headers: { 'X-Key': 'hush-hush' }, description: 'd' })
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      const { body } = await ask('GET', `/${id}`)
      expect(body.data).toEqual({
        id,
        url: `${sink.url}/shown`,
        description: 'd',
        events: ['svc.shop.*'],
        as: 'keeper',
        headers: { 'X-Key': '[REDACTED]' },
        enabled: true,
        status: 'active',
        createdAt: expect.any(String),
        lastSuccessAt: null,
        failingSince: null,
      })
      expect((await ask('GET')).body.data).toEqual({ items: [body.data], count: 1 })
      const kept = server().kernel.get(StoreCapability)
      const { endpoints } = await import('../../../plugins/webhooks/src/tables.ts')
      const rows = await kept.select({
        table: endpoints,
        columns: endpoints.columns,
        where: { op: 'always' },
        order: [],
      })
      expect(JSON.stringify(rows)).not.toMatch(/whsec_|hush-hush/)
      expect(
        (await ask('PATCH', `/${id}`, { description: null, headers: { 'X-Key': '[REDACTED]' } })).status,
      ).toBe(200)
      await note('with a header')
      await tick()
      expect(got('shown')[0]!.headers['x-key']).toBe('hush-hush')
    })

    it('9.2: refuses what is no endpoint', async () => {
      const refused = async (more: object) => {
        const body = { url: `${sink.url}/x`, events: ['svc.shop.*'], as: 'keeper', ...more }
        const { status, body: said } = await ask('POST', '', body)
        return [status, said.errors?.[0]?.field, said.errors?.[0]?.rule]
      }
      expect(await refused({ url: 'https://10.0.0.1/' })).toEqual([422, 'url', 'address'])
      expect(await refused({ url: 'ftp://example.org' })).toEqual([422, 'url', 'address'])
      expect(await refused({ url: 'https://a:b@example.org/' })).toEqual([422, 'url', 'address'])
      const { id } = await endpoint('as-it-was')
      const changed = await ask('PATCH', `/${id}`, { url: 'https://10.0.0.1/' })
      expect([changed.status, changed.body.errors[0]]).toMatchObject([422, { field: 'url', rule: 'address' }])
      expect(await refused({ as: 'nobody' })).toEqual([422, 'as', 'reference'])
      expect((await refused({ events: [] }))[0]).toBe(422)
      expect((await refused({ events: ['svc shop'] }))[0]).toBe(422)
      expect((await refused({ headers: { 'webhook-id': 'x' } }))[0]).toBe(422)
      expect((await refused({ headers: { 'X-A': 'a\r\nb' } }))[0]).toBe(422)
      expect((await refused({ unknown: 1 }))[0]).toBe(422)
      expect((await ask('GET', '', undefined, keeper.token)).status).toBe(403)
      expect((await server().request('GET', ROOT)).status).toBe(401)
      expect((await ask('GET', '/nonsense')).status).toBe(404)
    })

    it('9.2, 9.3: what leaves the sight of `as` is told to who listens to removed, and to nobody who does not', async () => {
      const una = await server().account('una')
      const { id } = await endpoint('unseen', { events: ['svc.shop.order.removed'], as: 'una' })
      const body = { url: `${sink.url}/changed`, events: ['svc.shop.order.updated'], as: 'una' }
      made.push((await ask('POST', '', body)).body.data.id)
      const title = { title: 'hers' }
      const order = await server().request('POST', '/api/v1/shop/orders', { token: una.token, body: title })
      const path = `/api/v1/shop/orders/${order.body.data.id}`
      for (const change of [{ title: 'still hers' }, { ownerId: keeper.id }])
        await server().request('PATCH', path, { token: keeper.token, body: change })
      await tick()
      await expect.poll(async () => (await deliveries(id, '?status=delivered')).length, SOON).toBe(1)
      await expect.poll(() => got('changed').length, SOON).toBe(1)
      expect(await deliveries(id, '?status=pending')).toEqual([])
      expect(got('unseen').map((one) => JSON.parse(one.body))).toMatchObject([
        { type: 'svc.shop.order.removed', data: { recordId: order.body.data.id } },
      ])
      expect(JSON.parse(got('changed')[0]!.body).data.record.title).toBe('still hers')
    })

    it('9.3: a delivery is Standard Webhooks, with the event as `as` may read it', async () => {
      const { id, secret } = await endpoint('signed', { events: ['svc.shop.order.*'], as: 'keeper' })
      const { body } = await server().request('POST', '/api/v1/shop/orders', {
        token: keeper.token,
        body: { title: 'one', cost: 3 },
      })
      await note('not wanted')
      await tick()
      expect(got('signed')).toHaveLength(1)
      const [{ headers, body: sent }] = got('signed') as any
      // The clock of the server is that of the test.
      const seconds = Number(headers['webhook-timestamp'])
      expect(seconds).toBe(Math.floor(server().clock.now() / 1000))
      const signed = new Webhook(secret).sign(headers['webhook-id'], new Date(seconds * 1000), sent)
      expect(headers['webhook-signature']).toBe(signed)
      const message = JSON.parse(sent)
      expect(message).toEqual({
        type: 'svc.shop.order.created',
        timestamp: message.data.at,
        data: expect.objectContaining({
          id: headers['webhook-id'],
          action: 'created',
          recordId: body.data.id,
          record: expect.objectContaining({ title: 'one', cost: 3 }),
        }),
      })
      expect(await deliveries(id)).toEqual([
        {
          id: expect.any(String),
          eventId: headers['webhook-id'],
          event: 'svc.shop.order.created',
          recordId: body.data.id,
          status: 'delivered',
          attempts: 1,
          nextAttemptAt: null,
          responseStatus: 204,
          responseBody: '',
          durationMs: expect.any(Number),
          createdAt: expect.any(String),
        },
      ])
      expect((await ask('GET', `/${id}`)).body.data.lastSuccessAt).toEqual(expect.any(String))
    })

    it('9.2, 9.3: tells nothing that `as` may not read at the time of the delivery, and waits while it is suspended', async () => {
      const ann = await server().account('ann')
      const { id } = await endpoint('hers', { as: 'ann' })
      const order = (token: string, title: string) =>
        server().request('POST', '/api/v1/shop/orders', { token, body: { title, cost: 9 } })
      await order(ann.token, 'hers')
      await order(keeper.token, 'of another')
      await tick()
      expect(got('hers').map(({ body }) => JSON.parse(body).data.record.title)).toEqual(['hers'])
      expect(JSON.parse(got('hers')[0]!.body).data.record).not.toHaveProperty('cost')
      expect((await deliveries(id)).map(({ status }) => status)).toEqual(['delivered'])
      const suspend = (what: string) =>
        server().request('POST', `/api/v1/admin/users/${ann.id}/${what}`, { token: server().admin })
      await suspend('suspend')
      await note('while suspended')
      await tick()
      expect((await ask('GET', `/${id}`)).body.data.status).toBe('paused')
      expect(got('hers')).toHaveLength(1)
      await suspend('unsuspend')
      server().clock.advance(31_000)
      await tick()
      expect(texts('hers')).toEqual([undefined, 'while suspended'])
    })

    it('9.2: a rotated secret signs beside the new one while they overlap', async () => {
      const { id, secret } = await endpoint('rotated')
      const turned = await ask('POST', `/${id}/rotate-secret`, { overlapHours: 1 })
      expect(turned.body.data.secret).not.toBe(secret)
      await note('both')
      await tick()
      server().clock.advance(2 * HOUR)
      await note('new')
      await tick()
      const [both, alone] = got('rotated').map(({ headers, body }) => ({
        body,
        at: new Date(Number(headers['webhook-timestamp']) * 1000),
        id: headers['webhook-id'] as string,
        signatures: (headers['webhook-signature'] as string).split(' '),
      }))
      const by = (key: string, { id: of, at, body }: NonNullable<typeof both>) =>
        new Webhook(key).sign(of, at, body)
      expect(both!.signatures).toEqual([by(turned.body.data.secret, both!), by(secret, both!)])
      expect(alone!.signatures).toEqual([by(turned.body.data.secret, alone!)])
    })

    it('9.3: attempts follow the schedule under one id, and then it has failed', async () => {
      const { id } = await endpoint('failing')
      answer = (path) => ({ status: path === '/failing' ? 500 : 204 })
      await note('never')
      await tick()
      const pauses = [5000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]
      for (const [at, pause] of pauses.entries()) {
        expect(got('failing')).toHaveLength(at + 1)
        const [delivery] = await deliveries(id)
        expect(delivery).toMatchObject({ status: 'pending', attempts: at + 1, responseStatus: 500 })
        const wait = Date.parse(delivery.nextAttemptAt) - server().clock.now()
        expect(wait).toBeGreaterThanOrEqual(pause)
        expect(wait).toBeLessThanOrEqual(pause * 1.1)
        server().clock.advance(pause - 1)
        await tick()
        expect(got('failing')).toHaveLength(at + 1)
        server().clock.advance(pause / 10 + 1)
        await tick()
      }
      expect(got('failing')).toHaveLength(8)
      expect(new Set(got('failing').map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(new Set(got('failing').map(({ headers }) => headers['webhook-signature'])).size).toBe(8)
      expect(await deliveries(id, '?status=failed')).toMatchObject([{ attempts: 8, nextAttemptAt: null }])
      answer = () => ({ status: 200 })
      const [delivery] = await deliveries(id)
      expect((await ask('POST', `/${id}/deliveries/${delivery.id}/retry`)).body.data.status).toBe('pending')
      await tick()
      expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 9, responseStatus: 200 }])
      const late = { status: 503, headers: { 'retry-after': '3600' } }
      answer = () => late
      await note('later')
      await tick()
      const [waiting] = await deliveries(id, '?status=pending')
      expect(Date.parse(waiting.nextAttemptAt) - server().clock.now()).toBe(HOUR)
      answer = () => ({ status: 204 })
    })

    it('9.3: 410 and a long failure disable an endpoint', async () => {
      const { id } = await endpoint('gone')
      answer = () => ({ status: 410 })
      await note('gone')
      await tick()
      expect((await ask('GET', `/${id}`)).body.data).toMatchObject({ enabled: false, status: 'disabled' })
      await note('not told')
      await tick()
      expect(got('gone')).toHaveLength(1)
      answer = () => ({ status: 500 })
      server().clock.advance(1000)
      await ask('PATCH', `/${id}`, { enabled: true })
      await note('fails')
      await tick()
      expect((await ask('GET', `/${id}`)).body.data).toMatchObject({
        status: 'active',
        failingSince: expect.any(String),
      })
      server().clock.advance(121 * HOUR)
      await note('fails still')
      await tick()
      // One that fails has one place at a time: the other delivery had to wait.
      server().clock.advance(2000)
      await tick()
      expect((await ask('GET', `/${id}`)).body.data.status).toBe('disabled')
      expect(server().log.filter(({ event }) => event === 'webhooks.endpoint_disabled')).toHaveLength(2)
      answer = () => ({ status: 204 })
    })

    it('9.4: events of one record wait for each other, and those of others and other endpoints do not', async () => {
      const first = await endpoint('slow')
      const body = { url: `${sink.url}/quick`, events: ['svc.shop.note.*'], as: 'keeper' }
      const other = (await ask('POST', '', body)).body.data
      made.push(other.id)
      let isDown = true
      answer = (path) => ({ status: path === '/slow' && isDown ? 500 : 204 })
      const one = await note('a1')
      await tick()
      await server().request('PATCH', `/api/v1/shop/notes/${one}`, { body: { text: 'a2' } })
      await tick()
      expect(texts('slow')).toEqual(['a1'])
      expect(texts('quick')).toEqual(['a1', 'a2'])
      isDown = false
      await note('b1')
      await tick()
      expect(texts('slow')).toEqual(['a1', 'b1'])
      server().clock.advance(6000)
      await tick()
      expect(texts('slow')).toEqual(['a1', 'b1', 'a1', 'a2'])
      expect((await deliveries(first.id)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'))
      expect((await deliveries(first.id, '?event=svc.shop.note.updated')).length).toBe(1)
      expect((await ask('GET', `/${first.id}/deliveries?status=lost`)).body.error_code).toBe('INVALID_QUERY')
    })

    it('9.4: replay makes what failed once more, or all that is kept', async () => {
      const { id } = await endpoint('again')
      answer = () => ({ status: 410 })
      await note('lost')
      await tick()
      answer = () => ({ status: 204 })
      await ask('PATCH', `/${id}`, { enabled: true })
      const replayed = await ask('POST', `/${id}/replay`, {})
      expect([replayed.status, replayed.body.data]).toEqual([202, { queued: 1 }])
      await tick()
      expect(texts('again')).toEqual(['lost', 'lost'])
      const after = new Date(server().clock.now() - 1).toISOString()
      server().clock.advance(1000)
      const all = await ask('POST', `/${id}/replay`, { after, failedOnly: false })
      expect(all.body.data.queued).toBe(1)
      await tick()
      expect(texts('again')).toEqual(['lost', 'lost', 'lost'])
      expect(new Set(got('again').map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    })

    it('9.4: a test sends a ping and answers the delivery', async () => {
      const { id } = await endpoint('ping')
      const { status, body } = await ask('POST', `/${id}/test`)
      expect([status, body.data]).toMatchObject([
        200,
        { event: 'svc.webhook.ping', status: 'delivered', attempts: 1, responseStatus: 204 },
      ])
      expect(JSON.parse(got('ping')[0]!.body)).toMatchObject({
        type: 'svc.webhook.ping',
        data: { endpoint: id },
      })
      answer = () => 'hang'
      const late = await ask('POST', `/${id}/test`)
      expect(late.body.data).toMatchObject({ status: 'failed', responseStatus: null })
      expect(late.body.data.responseBody).toContain('TIMEOUT')
      answer = () => ({ status: 204 })
    })

    it('9.2: an address that is refused at delivery gets nothing, and is not tried again', async () => {
      const { port } = new URL(sink.url)
      const { lookUp } = server().clock
      onTestFinished(() => void (server().clock.lookUp = lookUp))
      let leadsTo = ['127.0.0.1', '10.1.2.3']
      server().clock.lookUp = () => Promise.resolve(leadsTo)
      const refused = {
        status: 'failed',
        attempts: 1,
        nextAttemptAt: null,
        responseStatus: null,
        responseBody: expect.stringContaining('ADDRESS_REFUSED'),
      }
      const { id } = await endpoint('', { url: `http://hooks.example.org:${port}/inside` })
      await note('refused')
      await tick()
      expect(await deliveries(id)).toMatchObject([refused])
      expect((await ask('POST', `/${id}/test`)).body.data).toMatchObject(refused)
      server().clock.advance(HOUR)
      await tick()
      expect((await deliveries(id, '?event=svc.shop.note.created'))[0]).toMatchObject(refused)
      // What is confidential goes without TLS to nobody whom the operator has not named.
      leadsTo = ['192.0.1.1']
      const headers = { 'X-Key': 'hush-hush' }
      const plain = await endpoint('', { url: `http://hooks.example.org:${port}/inside`, headers })
      await note('exposed')
      await tick()
      expect(await deliveries(plain.id)).toMatchObject([refused])
      expect(got('inside')).toEqual([])
      leadsTo = ['127.0.0.1']
      const [delivery] = await deliveries(plain.id)
      await ask('POST', `/${plain.id}/deliveries/${delivery.id}/retry`)
      await tick()
      expect(texts('inside')).toEqual(['exposed'])
    })

    it('9.2: there are max_endpoints at most', async () => {
      for (const id of made.splice(0)) await ask('DELETE', `/${id}`)
      for (const path of ['1', '2', '3', '4']) {
        const body = { url: `${sink.url}/${path}`, events: ['svc.never'], as: 'keeper' }
        const { status, body: said } = await ask('POST', '', body)
        expect(status).toBe(201)
        made.push(said.data.id)
      }
      const more = await ask('POST', '', { url: `${sink.url}/5`, events: ['svc.never'], as: 'keeper' })
      expect([more.status, more.body.error_code]).toEqual([409, 'CONFLICT'])
    })
  })
}
