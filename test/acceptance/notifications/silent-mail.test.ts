import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSmtp, type TestSmtp } from '../../kit/smtp.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { messages, STILL, tick } from './outbox.ts'
import { tell } from './tell.ts'

const SHOP = `
domain:
  name: shop
  version: '1'
  resources:
    Order: { object: { title: string, contact: string }, permissions: { create: ['*'] } }
  tell:
    it:
      resource: Order
      notification:
        channels: [email, log]
        recipients: { field: contact }
        template: { subject: 'Order {title}', body: '{title}' }
`
const TIMEOUT_MS = 1000

/** Before a mail server: it takes every connection, and while it is silent says and does nothing with it. */
async function startGate(mail: TestSmtp): Promise<{ isSilent: boolean; port: number; stop(): void }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    if (gate.isSilent) return void socket.resume()
    const behind = connect(mail.port, '127.0.0.1').on('error', () => undefined)
    sockets.add(behind)
    socket.pipe(behind).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  const gate = { isSilent: true, port: (server.address() as AddressInfo).port, stop }
  return gate
}

for (const store of STORES) {
  describe(`a mail server that takes connections and never answers, on ${store.name}`, () => {
    let mail: TestSmtp
    let gate: Awaited<ReturnType<typeof startGate>>
    let server: TestKernel
    beforeAll(async () => {
      mail = await startSmtp({ disableReverseLookup: true })
      gate = await startGate(mail)
      server = await startTestKernel({
        store,
        plugins: [tell],
        definition: SHOP,
        config: {
          ...STILL,
          metrics: { port: 0 },
          notifications: { timeout_ms: TIMEOUT_MS },
          email: {
            enabled: true,
            smtp_host: '127.0.0.1',
            smtp_port: gate.port,
            from_address: 'shop@example.org',
            use_tls: false,
          },
        },
      })
    })
    afterAll(async () => {
      await server.stop()
      gate.stop()
      await mail.stop()
    })

    const order = async (title: string): Promise<string> => {
      const { body } = await server.request('POST', '/api/v1/shop/orders', {
        body: { title, contact: 'ada@example.org' },
      })
      return body.data.id
    }
    const mailOf = async (id: string) => (await messages(server, `?recordId=${id}&channel=email`))[0]!
    const measured = async () => {
      const port = server.log.find(({ event }) => event === 'metrics.listening')?.fields['port']
      const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
      return text.split('\n').filter((line) => line.startsWith('svc_notifications_'))
    }

    it('N7: is tried again after the pause, holds up no other message, and gets the mail once it answers', async () => {
      const [first, second] = [await order('one'), await order('two')]
      await tick(server)
      const next = new Date(server.clock.now() + 5_000).toISOString()
      for (const id of [first, second])
        expect(await mailOf(id)).toMatchObject({
          status: 'pending',
          attempts: 1,
          nextAttemptAt: next,
          responseStatus: null,
          error: { code: 'UPSTREAM_TIMEOUT', message: expect.stringContaining(`${TIMEOUT_MS} ms`) },
        })
      expect((await messages(server, '?channel=log')).map(({ status }) => status)).toEqual([
        'logged',
        'logged',
      ])
      gate.isSilent = false
      server.clock.advance(5_000)
      await tick(server)
      expect(await mailOf(first)).toMatchObject({ status: 'sent', attempts: 2, error: null })
      expect(mail.received.map(({ mail: { subject } }) => subject).toSorted()).toEqual([
        'Order one',
        'Order two',
      ])
    })

    it('N4: metrics tell how many messages wait, how long the oldest has, and how the others ended', async () => {
      gate.isSilent = true
      await order('three')
      server.clock.advance(7_000)
      const before = await measured()
      // Two for each order: one by mail, one in the log.
      expect(before).toContain('svc_notifications_pending 2')
      expect(before).toContain('svc_notifications_oldest_seconds 7')
      expect(before).toContain('svc_notifications_ended_total{channel="email",status="sent"} 2')
      expect(before).toContain('svc_notifications_ended_total{channel="log",status="logged"} 2')
      await tick(server)
      const after = await measured()
      expect(after).toContain('svc_notifications_pending 1')
      expect(after).toContain('svc_notifications_ended_total{channel="log",status="logged"} 3')
      gate.isSilent = false
      server.clock.advance(5_000)
      await tick(server)
      const last = await measured()
      expect(last).toContain('svc_notifications_pending 0')
      expect(last).toContain('svc_notifications_oldest_seconds 0')
    })
  })
}
