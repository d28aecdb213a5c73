import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Config, createKernel, type Logger, silentLogger } from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AUTHORITY, startSmtp, type TestSmtp } from '../../../test/kit/smtp.ts'
import { MailerCapability } from './contract.ts'
import { mail } from './index.ts'

const MAIL = { to: 'ada@example.com', subject: 'Hello', text: 'How are you?\n' }

interface Event {
  readonly level: 'warn' | 'error'
  readonly event: string
  readonly [field: string]: unknown
}

/** A kernel with this plugin alone, and what it logged. */
async function start(email: Config) {
  const logged: Event[] = []
  const log: Logger = {
    ...silentLogger,
    warn: (fields, event) => void logged.push({ level: 'warn', event, ...fields }),
    error: (fields, event) => void logged.push({ level: 'error', event, ...fields }),
    child: () => log,
  }
  const kernel = createKernel({ plugins: [mail], config: { email }, log })
  await kernel.start()
  onTestFinished(() => kernel.stop())
  return { kernel, logged, mailer: kernel.get(MailerCapability) }
}

async function smtp(...given: Parameters<typeof startSmtp>): Promise<TestSmtp> {
  const server = await startSmtp(...given)
  onTestFinished(() => server.stop())
  return server
}

const plain = (port: number): Config => ({
  enabled: true,
  smtp_host: '127.0.0.1',
  smtp_port: port,
  from_address: 'Example <noreply@example.org>',
  use_tls: false,
})
const secured = (port: number): Config => ({ ...plain(port), use_tls: true, ca_file: AUTHORITY })

describe('a mail', () => {
  it('reaches the mail server as it was written', async () => {
    const { port, received } = await smtp()
    const { mailer } = await start(plain(port))
    mailer.send({ ...MAIL, subject: 'Grüße', text: `Zeile 1: äöü €\n\n${'x'.repeat(200)}\n.\nend\n` })
    await expect.poll(() => received).toHaveLength(1)
    const [{ mail: got, recipients, secure, raw } = expect.fail()] = received
    expect(got).toMatchObject({
      subject: 'Grüße',
      text: `Zeile 1: äöü €\n\n${'x'.repeat(200)}\n.\nend\n`,
      from: { address: 'noreply@example.org', name: 'Example' },
      to: [{ address: 'ada@example.com' }],
    })
    expect([recipients, secure]).toEqual([['ada@example.com'], false])
    expect(raw).toContain('Auto-Submitted: auto-generated')
  })

  it('goes to one address and has no headers but its own, whatever its parts hold', async () => {
    const { port, received } = await smtp()
    const { mailer } = await start(plain(port))
    mailer.send({ ...MAIL, subject: 'One\r\nBcc: eve@example.com\r\n\r\nbody' })
    await expect.poll(() => received).toHaveLength(1)
    for (const to of ['ada@example.com, eve@example.com', 'ada@example.com\r\nRCPT TO:<eve@example.com>'])
      mailer.send({ ...MAIL, to })
    mailer.send({ ...MAIL, subject: 'last' })
    await expect.poll(() => received.at(-1)?.mail.subject).toBe('last')
    for (const { recipients, mail: got } of received) {
      expect(recipients).not.toContain('eve@example.com')
      expect(recipients).toHaveLength(1)
      expect(got.headers.map(({ key }) => key)).not.toContain('bcc')
    }
  })

  it('goes over TLS, by STARTTLS', async () => {
    const { port, received } = await smtp()
    const { mailer } = await start(secured(port))
    mailer.send(MAIL)
    await expect.poll(() => received).toMatchObject([{ secure: true }])
  })

  it('is not sent where TLS is wanted and not to be had, or not to be trusted', async () => {
    const bare = await smtp({ disabledCommands: ['STARTTLS'] })
    const foreign = await smtp()
    const [one, two] = [
      await start(secured(bare.port)),
      await start({ ...plain(foreign.port), use_tls: true }),
    ]
    for (const { mailer } of [one, two]) mailer.send(MAIL)
    await expect.poll(() => one.logged.length * two.logged.length).toBeGreaterThan(0)
    expect([bare.received, foreign.received]).toEqual([[], []])
  })

  it('is sent in the name of the configured user', async () => {
    const users: unknown[] = []
    const { port, received } = await smtp({
      authOptional: false,
      onAuth({ username, password }, _, done) {
        users.push([username, password])
        if (password === 'secret') done(null, { user: username })
        else done(new Error('no'))
      },
    })
    const right = await start({ ...secured(port), smtp_user: 'svc', smtp_password: 'secret' })
    right.mailer.send(MAIL)
    await expect.poll(() => received).toHaveLength(1)
    const wrong = await start({ ...secured(port), smtp_user: 'svc', smtp_password: 'guess-7' })
    wrong.mailer.send(MAIL)
    await expect.poll(() => wrong.logged).toMatchObject([{ event: 'mail.failed', to: 'ada@example.com' }])
    expect(JSON.stringify(wrong.logged)).not.toContain('guess-7')
    expect(users).toEqual([
      ['svc', 'secret'],
      ['svc', 'guess-7'],
    ])
  })
})

describe('a mail server', () => {
  const refusing = (responseCode: number, times: number) => {
    const tries = { count: 0 }
    const onMailFrom: NonNullable<Parameters<typeof startSmtp>[0]>['onMailFrom'] = (_, __, done) =>
      done(tries.count++ < times ? Object.assign(new Error('not you'), { responseCode }) : null)
    return { tries, onMailFrom }
  }

  it('that refuses for now is tried again', async () => {
    const { tries, onMailFrom } = refusing(451, 1)
    const { port, received } = await smtp({ onMailFrom })
    const { mailer, logged } = await start(plain(port))
    mailer.send(MAIL)
    await expect.poll(() => received, { timeout: 5_000 }).toHaveLength(1)
    expect(tries.count).toBe(2)
    expect(logged).toMatchObject([{ event: 'mail.delayed', to: 'ada@example.com', subject: 'Hello' }])
    expect(JSON.stringify(logged)).not.toContain(MAIL.text.trim())
  })

  it('that refuses for good is not asked again', async () => {
    const { tries, onMailFrom } = refusing(550, 9)
    const { port } = await smtp({ onMailFrom })
    const { mailer, logged, kernel } = await start(plain(port))
    mailer.send(MAIL)
    await expect.poll(() => logged).toMatchObject([{ level: 'error', event: 'mail.failed' }])
    await kernel.stop()
    expect(tries.count).toBe(1)
  })

  it('that is not there holds up neither the sender nor the stop', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    const { mailer, logged, kernel } = await start(plain(port))
    mailer.send(MAIL)
    await expect.poll(() => logged).toMatchObject([{ event: 'mail.delayed' }])
    await kernel.stop()
    expect(logged.at(-1)).toMatchObject({ level: 'error', event: 'mail.failed' })
  })

  it('that hangs holds up no sender, and a stop for a few seconds only', async () => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const { mailer, logged, kernel } = await start(plain((server.address() as AddressInfo).port))
    for (let i = 0; i < 1_100; i++) mailer.send(MAIL)
    expect(logged.filter(({ reason }) => reason === 'too many mails wait already')).toHaveLength(100)
    const before = Date.now()
    await kernel.stop()
    expect(Date.now() - before).toBeLessThan(5_000)
    expect(logged.filter(({ event }) => event === 'mail.failed')).toHaveLength(1_100)
    expect(sockets.size).toBeLessThanOrEqual(4)
  })

  it('gets what is left when the server stops', async () => {
    const { port, received } = await smtp()
    const { mailer, kernel } = await start(plain(port))
    for (let i = 0; i < 20; i++) mailer.send({ ...MAIL, subject: `${i}` })
    await kernel.stop()
    expect(received).toHaveLength(20)
  })
})

describe('a letter', () => {
  const LETTER = { ...MAIL, id: '0199-a' }
  const handed = async (port: number) =>
    (await start(plain(port))).mailer.deliver(LETTER, AbortSignal.timeout(20_000))
  const replying = (responseCode: number): Parameters<typeof startSmtp>[0] => ({
    onRcptTo: (_, __, done) => done(Object.assign(new Error('not you'), { responseCode })),
  })

  it('is handed over once, under an id of its own, with what is attached', async () => {
    const { port, received } = await smtp()
    const { mailer } = await start(plain(port))
    const content = new TextEncoder().encode('a,b\n')
    const attachments = [{ filename: 'sums.csv', type: 'text/csv', content }]
    for (let i = 0; i < 2; i++)
      expect(await mailer.deliver({ ...LETTER, attachments }, AbortSignal.timeout(20_000))).toEqual({
        outcome: 'accepted',
      })
    expect(received.map(({ mail: got }) => got.messageId)).toEqual(Array(2).fill('<0199-a@example.org>'))
    const [attached] = received[0]!.mail.attachments
    expect(attached).toMatchObject({ filename: 'sums.csv', mimeType: 'text/csv' })
  })

  it.each([
    [451, 'deferred'],
    [550, 'refused'],
  ])('that is answered by %i is %s', async (reply, outcome) => {
    const { port, received } = await smtp(replying(reply))
    expect(await handed(port)).toMatchObject({ outcome, reply, message: expect.stringContaining('not you') })
    expect(received).toEqual([])
  })

  it('that dies with its connection after the last byte is unheard: it may be there or not', async () => {
    const dying = await smtp({}, () => 'die')
    expect(await handed(dying.port)).toMatchObject({ outcome: 'unheard' })
  })

  it('to a mail server that is not there is unheard', async () => {
    const gone = await smtp()
    await gone.stop()
    expect(await handed(gone.port)).toMatchObject({ outcome: 'unheard' })
  })

  it('is not taken where mail is off', async () => {
    const { mailer } = await start({})
    await expect(mailer.deliver(LETTER, AbortSignal.timeout(20_000))).rejects.toThrow('switched off')
  })
})

describe('configuration', () => {
  it('needs nothing where mail is off, and then sends nothing', async () => {
    const { mailer } = await start({})
    expect(mailer.enabled).toBe(false)
    mailer.send(MAIL)
  })

  it.each([
    [{ enabled: true, from_address: 'a@example.org' }, 'email.smtp_host'],
    [{ enabled: true, smtp_host: 'mail' }, 'email.from_address'],
    [{ enabled: true, smtp_host: 'mail', from_address: 'nobody' }, 'email.from_address'],
    [{ from_address: 'a@example.org\r\nBcc: b@example.org' }, 'email.from_address'],
    [{ smtp_prt: 25 }, 'smtp_port'],
    [{ smtp_port: 0 }, 'email.smtp_port'],
    [{ enabled: 'yes' }, 'email.enabled'],
  ])('refuses %j', (email, named) => {
    expect(() => createKernel({ plugins: [mail], config: { email } })).toThrow(named)
  })

  it('names an authority that cannot be read', async () => {
    const kernel = createKernel({
      plugins: [mail],
      config: { email: { ...plain(25), ca_file: '/none.pem' } },
    })
    await expect(kernel.start()).rejects.toThrow("'/none.pem' cannot be read")
  })
})
