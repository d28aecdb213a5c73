import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSink } from '../outbound/world.ts'
import { startSmtp } from '../../kit/smtp.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel, type TestKernelOptions } from '../../kit/test-kernel.ts'
import { messages, STILL, submitting, telling, TEMPLATE, tick, tickets } from './desk.ts'

/** Titles that mean something to somebody: to templates, expressions, mails, pages, and to this program. */
const TITLES = [
  '{contact}',
  '{user.email}',
  '{{contact}}',
  '{#each others as one}{one}{/each}',
  '{#if true}x{/if}',
  '\\{contact\\}',
  '{contact',
  '}{',
  '$record.contact',
  '$(1 + 1)',
  '$$contact',
  '${PATH}',
  '${SVC_UNSET:default}',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'a\r\nBcc: eve@example.org\r\n\r\nbody',
  'a\nb\u2028c\u0085d\u0007e',
  '=?utf-8?B?QmNjOiBldmU=?=',
  '\u202egnp.exe',
  '%0d%0aBcc: eve@example.org',
  '[REDACTED]',
  '__proto__',
  'constructor',
  '{constructor}',
  '{__proto__.polluted}',
]

const NOBODY = [
  'ada@example.org\r\nBcc: eve@example.org',
  'ada@example.org\nRCPT TO:<eve@example.org>',
  'ada@example.org, eve@example.org',
  'ada@example.org;eve@example.org',
  'ada@example.org eve@example.org',
  'Ada <ada@example.org>',
  '<ada@example.org>',
  '"ada eve"@example.org',
  ' ada@example.org',
  'ada@[127.0.0.1]',
  'ada@@example.org',
  'ada',
  '@example.org',
  `${'a'.repeat(10_000)}@example.org`,
  `ada@${'a'.repeat(10_000)}.org`,
  '{contact}',
  'ada@example.org(comment)',
  'ada@exämple.org',
]

/** Answers without an end, as fast as they are taken. */
function pour(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue
  }
  response.on('drain', more)
  more()
}

describe.each(STORES.map((store) => [store.name, store] as const))('messages on %s', (_, store) => {
  async function start(options: Partial<TestKernelOptions> = {}): Promise<TestKernel> {
    const running = await startTestKernel({ store, ...options, config: { ...STILL, ...options.config } })
    onTestFinished(running.stop)
    return running
  }

  const opened = async ({ request }: TestKernel, data: object) => {
    const { status, body } = await request('POST', '/api/v1/shop/tickets', { body: data })
    expect(status, JSON.stringify(body)).toBe(201)
    return body.data
  }

  it('N5, A5: a title is told as it is written, whatever it means elsewhere', async () => {
    const { port, visits } = await startSink()
    const smtp = await startSmtp()
    onTestFinished(smtp.stop)
    const config = {
      outbound: { allow_private: ['127.0.0.1'] },
      email: {
        enabled: true,
        smtp_host: '127.0.0.1',
        smtp_port: smtp.port,
        from_address: 'shop@example.org',
        use_tls: false,
      },
    }
    const channels = ['email', 'log', { type: 'webhook', url: `http://127.0.0.1:${port}/hook` }]
    const notification = { channels, recipients: { field: 'contact' }, template: TEMPLATE }
    const running = await start({ config, definition: tickets({ told: telling(notification) }) })
    const contact = 'ada@example.org'
    for (const title of TITLES) await opened(running, { title, contact })
    await tick(running)
    await tick(running)
    const entries = await messages(running)
    expect(entries.map(({ status }) => status)).not.toContain('failed')
    for (const title of TITLES) {
      const flat = `Ticket ${title.replace(/\p{Cc}|[\u2028\u2029]/gu, ' ')}`
      const bodies = visits.map(({ body }) => JSON.parse(body))
      const told = bodies.filter(({ record }) => record.title === title)
      expect(told, title).toHaveLength(1)
      expect(told[0].body).toBe(`Ticket ${title} of ${contact}`)
      expect(told[0].subject.replace(/[\u2028\u2029]/gu, ' ')).toBe(flat)
    }
    expect(smtp.received).toHaveLength(TITLES.length)
    for (const { recipients, mail, raw } of smtp.received) {
      expect(recipients).toEqual([contact])
      expect(mail.headers.map(({ key }) => key)).not.toContain('bcc')
      expect(mail.html).toBeUndefined()
      expect(raw.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/im)
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('N5: what is not exactly one address is written to by nobody', async () => {
    const smtp = await startSmtp()
    onTestFinished(smtp.stop)
    const config = {
      email: {
        enabled: true,
        smtp_host: '127.0.0.1',
        smtp_port: smtp.port,
        from_address: 'shop@example.org',
        use_tls: false,
      },
    }
    const notification = {
      channels: ['email'],
      recipients: { field: ['contact', 'others'] },
      template: TEMPLATE,
    }
    const running = await start({ config, definition: tickets({ told: telling(notification) }) })
    for (const contact of NOBODY) await opened(running, { title: 'x', contact })
    await opened(running, { title: 'x', others: NOBODY })
    await opened(running, { title: 'x', contact: '', others: ['', '  '] })
    for (const _round of [1, 2, 3]) await tick(running)
    const entries = await messages(running)
    expect(entries.filter(({ status }) => status !== 'failed')).toEqual([])
    const codes = new Set(entries.map(({ error }) => error?.code))
    expect([...codes].toSorted()).toEqual(['INVALID_ADDRESS', 'NO_RECIPIENT'])
    expect(smtp.received).toEqual([])
  })

  it('N3: a long text is cut, and hurts nobody', async () => {
    const notification = { channels: ['log'], template: { subject: '{title}', body: '{title}{title}' } }
    const running = await start({ definition: tickets({ told: telling(notification) }) })
    await opened(running, { title: `${'😀'.repeat(60_000)}` })
    await tick(running)
    const [{ subject, body, status } = expect.fail()] = await messages(running)
    expect(status).toBe('logged')
    expect([...(subject ?? '')].length).toBeLessThanOrEqual(255)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536)
    expect(subject?.endsWith('…') && body.endsWith('…')).toBe(true)
    expect(body.isWellFormed()).toBe(true)
  })

  it.each([
    'http://127.0.0.1/',
    'https://localhost:8080/',
    'https://[::1]/',
    'https://2130706433/',
    'https://169.254.169.254/latest/meta-data',
    'https://0x7f.1/',
    'https://①②⑦.0.0.1/',
    'https://user:password@example.org/',
    'https://example.org/#x',
    'file:///etc/passwd',
    'https://{title}/',
    '{title}',
    'javascript:alert(1)',
    '',
  ])('N1, C2.2, C2.7: a webhook to %s is refused when it is submitted', async (url) => {
    const running = await start()
    const notification = { channels: [{ type: 'webhook', url }], template: TEMPLATE }
    const { status, body } = await submitting(running, tickets({ told: telling(notification) }))
    expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
    expect(JSON.stringify(body)).toContain('domain.rules.told.notification.channels.0.url')
  })

  it('N7, C2.2, C2.7: a webhook whose name leads inside is refused when it is sent, once', async () => {
    const { port, connections } = await startSink()
    const notification = {
      channels: [{ type: 'webhook', url: `https://evil.example:${port}/hook?key=1` }],
      template: TEMPLATE,
    }
    const running = await start({ definition: tickets({ told: telling(notification) }) })
    Object.assign(running.clock, { lookUp: () => Promise.resolve(['1.1.1.1', '127.0.0.1']) })
    await opened(running, { title: 'x' })
    for (const _round of [1, 2, 3]) {
      await tick(running)
      running.clock.advance(100_000)
    }
    expect(await messages(running)).toMatchObject([
      { status: 'failed', attempts: 1, error: { code: 'ADDRESS_REFUSED' } },
    ])
    expect(connections()).toBe(0)
    expect(JSON.stringify(await messages(running))).not.toContain('key=1')
  })

  it('N7, A14: a webhook that leads elsewhere, says too much or is no HTTP is tried as its answer says', async () => {
    const inside = await startSink()
    const sink = await startSink(({ url }, response) => {
      if (url === '/redirect') response.writeHead(307, { location: `http://127.0.0.1:${inside.port}/` }).end()
      else if (url === '/long') response.writeHead(200).end(Buffer.alloc(1_000_000))
      else if (url === '/endless') pour(response.writeHead(200))
      // Headers that never end, a byte of them at a time.
      else if (url === '/slow') response.socket?.write('HTTP/1.1 200 OK\r\nx-a: b')
      else if (url === '/later') response.writeHead(503, { 'retry-after': '99999999999' }).end()
      else response.writeHead(200, { 'x-a': 'b'.repeat(20_000) }).end()
    })
    const hook = (path: string) =>
      telling({
        channels: [{ type: 'webhook', url: `http://127.0.0.1:${sink.port}${path}` }],
        template: TEMPLATE,
      })
    const paths = ['/redirect', '/long', '/endless', '/slow', '/later', '/headers']
    const rules = Object.fromEntries(paths.map((path) => [path.slice(1), hook(path)]))
    const running = await start({
      definition: tickets(rules),
      config: {
        outbound: { allow_private: [`127.0.0.1:${sink.port}`] },
        notifications: { timeout_ms: 1000 },
      },
    })
    await opened(running, { title: 'x' })
    await tick(running)
    const entries = await messages(running)
    const statusOf = (path: string) => entries.find(({ recipient }) => recipient?.endsWith(path))?.status
    expect(paths.map(statusOf)).toEqual(['failed', 'sent', 'sent', 'pending', 'pending', 'failed'])
    const slow = entries.find(({ recipient }) => recipient?.endsWith('/slow'))
    expect(slow?.error?.code).toBe('UPSTREAM_TIMEOUT')
    expect(inside.visits).toEqual([])
  })

  it('A11: who may not look at messages, and what is none', async () => {
    const notification = { channels: ['log'], template: { body: 'x' } }
    const running = await start({ definition: tickets({ told: telling(notification) }) })
    const { request, admin } = running
    await opened(running, { title: 'x' })
    const [{ id } = expect.fail()] = await messages(running)
    const { token } = await running.account('mallory', ['clerk'])
    const base = '/api/v1/shop/notifications'
    for (const [method, path] of [
      ['GET', base],
      ['GET', `${base}/${id}`],
      ['POST', `${base}/${id}/resend`],
    ] as const) {
      expect((await request(method, path)).status).toBe(401)
      expect((await request(method, path, { token })).status).toBe(403)
    }
    expect((await request('POST', `${base}/${id}/resend`, { token: admin })).status).toBe(409)
    for (const none of [
      'x',
      '%00',
      '%27%20or%201=1',
      '0',
      encodeURIComponent('😀'),
      'a'.repeat(5_000),
      '..%2f..',
      '__proto__',
    ]) {
      for (const [method, path] of [
        ['GET', `${base}/${none}`],
        ['POST', `${base}/${none}/resend`],
      ] as const) {
        const { status, body } = await request(method, path, { token: admin })
        expect([400, 404, 414, 422], `${method} ${path} ${JSON.stringify(body)}`).toContain(status)
      }
    }
    for (const query of [
      'status=x',
      'after=yesterday',
      'before=%00',
      'limit=-1',
      'limit=1e9',
      'recordId=%00',
      'source=%27',
    ])
      expect((await request('GET', `${base}?${query}`, { token: admin })).status, query).toBeLessThan(500)
  })

  it('N9: twenty resends at once are twenty messages, each sent once', async () => {
    const { port, visits } = await startSink()
    const notification = {
      channels: [{ type: 'webhook', url: `http://127.0.0.1:${port}/` }],
      template: { body: 'x' },
    }
    const running = await start({
      definition: tickets({ told: telling(notification) }),
      config: { outbound: { allow_private: ['127.0.0.1'] } },
    })
    await opened(running, { title: 'x' })
    await tick(running)
    const [{ id } = expect.fail()] = await messages(running)
    const resend = () =>
      running.request('POST', `/api/v1/shop/notifications/${id}/resend`, { token: running.admin })
    const answers = await Promise.all(Array.from({ length: 20 }, resend))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
    await Promise.all([tick(running), tick(running)])
    const ids = visits.map(({ headers }) => headers['webhook-id'])
    expect(ids).toHaveLength(21)
    expect(new Set(ids).size).toBe(21)
  })
})
