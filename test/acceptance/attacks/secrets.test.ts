import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernelOptions } from '../../kit/test-kernel.ts'
import { startSink } from '../outbound/world.ts'
import { messages, STILL, submitting, telling, tick, tickets } from './desk.ts'

const SECRETS = {
  SVC_DOMAIN_HOOK_SECRET: 'hook-s3cret-of-the-shop',
  SVC_DOMAIN_HOOK_TOKEN: 'token-s3cret-of-the-shop',
  SVC_DOMAIN_HOOK_QUERY: 'query-s3cret-of-the-shop',
}

describe.each(STORES.map((store) => [store.name, store] as const))('secrets on %s', (_, store) => {
  async function start(options: Partial<TestKernelOptions> = {}) {
    Object.assign(process.env, SECRETS)
    const running = await startTestKernel({ store, ...options, config: { ...STILL, ...options.config } })
    onTestFinished(async () => {
      await running.stop()
      for (const name of Object.keys(SECRETS)) delete process.env[name]
    })
    return running
  }

  const hook = (port: number, more: object = {}) => ({
    type: 'webhook',
    url: `http://127.0.0.1:${port}/hook?key=\${SVC_DOMAIN_HOOK_QUERY}`,
    secret: '${SVC_DOMAIN_HOOK_SECRET}',
    headers: { authorization: 'Bearer ${SVC_DOMAIN_HOOK_TOKEN}' },
    ...more,
  })

  it('[3.2] stand nowhere but in the request that they are for', async () => {
    // The receiver says again what it was told, in its answer and by breaking off.
    const sink = await startSink(({ url, headers }, response) => {
      const quoted = `${url} ${headers.authorization}`
      response.writeHead(500, quoted.slice(0, 100), { 'x-quoted': quoted, 'retry-after': quoted }).end(quoted)
    })
    const notification = { channels: [hook(sink.port)], template: { body: 'x' } }
    const steps = {
      tell: { action: 'notify', notification },
      rest: { wait: { timeout: { duration: '30d' } } },
      again: { action: 'notify', notification },
    }
    const running = await start({
      definition: tickets(
        { told: telling(notification) },
        { workflows: { tale: { trigger: { resource: 'Ticket', event: 'create' }, steps } } },
      ),
      config: { outbound: { allow_private: ['127.0.0.1'] } },
    })
    const { request, admin } = running
    await request('POST', '/api/v1/shop/tickets', { body: { title: 'x' } })
    for (let round = 0; round < 4; round++) await tick(running)
    expect(sink.visits).toHaveLength(2)
    const [visit] = sink.visits
    expect(visit).toMatchObject({
      url: `/hook?key=${SECRETS.SVC_DOMAIN_HOOK_QUERY}`,
      headers: { authorization: `Bearer ${SECRETS.SVC_DOMAIN_HOOK_TOKEN}` },
    })
    const { 'webhook-id': id, 'webhook-timestamp': at } = visit!.headers
    const signature = createHmac('sha256', SECRETS.SVC_DOMAIN_HOOK_SECRET).update(
      `${id}.${at}.${visit!.body}`,
    )
    expect(visit!.headers['webhook-signature']).toBe(`v1,${signature.digest('base64')}`)

    const paths = [
      '/api/v1/domains',
      '/api/v1/domains/shop',
      '/api/v1/domains/shop/source',
      '/api/v1/domains/shop/source?format=resolved',
      '/api/v1/domains/shop/schema',
      '/api/v1/domains/shop/export',
      '/api/v1/domains/shop/migrations',
      '/api/v1/shop/rules',
      '/api/v1/shop/rules/told',
      '/api/v1/shop/rules/log',
      '/api/v1/shop/workflows',
      '/api/v1/shop/workflows/tale',
      '/api/v1/shop/workflows/instances',
      '/api/v1/shop/notifications',
      `/api/v1/shop/notifications/${(await messages(running))[0]!.id}`,
      '/api/v1/openapi.json',
      '/api/v1/domains/shop/openapi.json',
      '/api/v1/status',
      '/health',
      '/api/v1/shop/tickets',
    ]
    const told: string[] = []
    for (const path of paths) {
      const answer = await request('GET', path, { token: admin })
      told.push(`${path} ${JSON.stringify(answer.body)}`)
    }
    told.push(...running.log.map((entry) => inspected(entry)))
    told.push(await everythingKept(running.database))
    for (const text of told) for (const secret of Object.values(SECRETS)) expect(near(text, secret)).toBe('')
  })

  it.each([
    ['written out', 'whsec_c2VjcmV0', 422],
    ['with something beside it', 'x${SVC_DOMAIN_HOOK_SECRET}', 422],
    ['of two variables', '${SVC_DOMAIN_HOOK_SECRET}${SVC_DOMAIN_HOOK_TOKEN}', 422],
    ['one variable', '${SVC_DOMAIN_HOOK_SECRET}', 201],
    ['one variable that a default stands in for', '${SVC_DOMAIN_HOOK_UNSET:default}', 201],
  ])('[3.1] %s are answered with %s', async (_, secret, expected) => {
    const running = await start()
    const channel = { type: 'webhook', url: 'https://example.org/', secret }
    const notification = { channels: [channel], template: { body: 'x' } }
    const { status, body } = await submitting(running, tickets({ told: telling(notification) }))
    expect(status).toBe(expected)
    expect(JSON.stringify(body)).not.toContain('s3cret')
    if (expected === 422) expect(JSON.stringify(body)).toContain('channels.0.secret')
    if (secret.includes('UNSET')) expect(JSON.stringify(body.warnings)).toContain('SVC_DOMAIN_HOOK_UNSET')
  })

  it('[3.1] are no part of a message that a default would sign', async () => {
    const sink = await startSink()
    const channel = hook(sink.port, { secret: '${SVC_DOMAIN_HOOK_UNSET:a public default}' })
    const running = await start({
      definition: tickets({ told: telling({ channels: [channel], template: { body: 'x' } }) }),
      config: { outbound: { allow_private: ['127.0.0.1'] } },
    })
    await running.request('POST', '/api/v1/shop/tickets', { body: { title: 'x' } })
    await tick(running)
    expect(sink.visits.map(({ headers }) => headers['webhook-signature']).filter(Boolean)).toEqual([])
    expect(await messages(running)).toMatchObject([{ status: 'failed' }])
  })

  it.each([
    ['http://127.0.0.1/', '${SVC_DOMAIN_HOOK_QUERY}'],
    ['https://example.org/${SVC_DOMAIN_HOOK_QUERY}#x', 'x'],
    ['https://user:${SVC_DOMAIN_HOOK_QUERY}@example.org/', 'x'],
    ['ftp://${SVC_DOMAIN_HOOK_QUERY}/', 'x'],
  ])('[3.2] are not in the refusal of %s', async (url, value) => {
    const running = await start()
    const channel = { type: 'webhook', url, headers: { 'x key': value, host: value, 'x-a': `${value}\n` } }
    const { status, body } = await submitting(
      running,
      tickets({ told: telling({ channels: [channel], template: { body: 'x' } }) }),
    )
    expect(status).toBe(422)
    expect(JSON.stringify(body)).not.toContain('s3cret')
  })
})

/** What surrounds a secret in a text; nothing where it is not there. */
const near = (text: string, secret: string): string => {
  const found = [secret, Buffer.from(secret).toString('base64').slice(0, -4), encodeURIComponent(secret)]
  const at = Math.max(...found.map((one) => text.indexOf(one)))
  return at < 0 ? '' : `${text.slice(0, 40)} … ${text.slice(Math.max(0, at - 80), at + 40)}`
}

/** An event with all that a logger would write of it. */
const inspected = (entry: object): string =>
  JSON.stringify(entry, (_, value: unknown) =>
    value instanceof Error
      ? { ...value, message: value.message, stack: value.stack, cause: value.cause }
      : value,
  )
