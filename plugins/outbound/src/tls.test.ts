import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createRedaction } from '@svc/kernel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOutbound } from './outbound.ts'

const fixture = (name: string) => readFileSync(new URL(`../../rest/src/fixtures/${name}`, import.meta.url))
const CERTIFICATE = fixture('localhost.cert.pem')

/** A server with a certificate for localhost, and the names under which it was asked. */
async function startSecure() {
  const met: { name: unknown; host: unknown }[] = []
  const server = createServer(
    { cert: CERTIFICATE, key: fixture('localhost.key.pem') },
    (request, response) => {
      // Node gives handlers a plain socket's type.
      const { servername } = request.socket as TLSSocket
      met.push({ name: servername, host: request.headers.host })
      response.end('ok')
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, met }
}

function clientOf({ trusting }: { readonly trusting: boolean }) {
  const { close, ...client } = createOutbound({
    allowed: ['127.0.0.1', '::1', 'localhost', 'other.example'],
    env: { lookUp: () => Promise.resolve(['127.0.0.1']) },
    host: { listening: () => [], release: { version: '1', build: '', commit: '' } },
    redaction: createRedaction(),
    ...(trusting && { ca: CERTIFICATE.toString() }),
  })
  onTestFinished(close)
  return client
}

const asking = (url: string) => ({
  url,
  timeoutMs: 5_000,
  maxBodyBytes: 100,
  credentials: { authorization: 'x' },
})

describe('a request over TLS', () => {
  it('asks by the name that is written, whatever address it goes to', async () => {
    const { port, met } = await startSecure()
    expect((await clientOf({ trusting: true }).request(asking(`https://localhost:${port}/`))).status).toBe(
      200,
    )
    expect(met).toEqual([{ name: 'localhost', host: `localhost:${port}` }])
  })

  it.each([
    ['nobody stands for', false, 'localhost'],
    ['is for another name', true, 'other.example'],
  ])('fails for good where the certificate %s', async (_, trusting, host) => {
    const { port, met } = await startSecure()
    await expect(clientOf({ trusting }).request(asking(`https://${host}:${port}/`))).rejects.toMatchObject({
      code: 'TLS_FAILED',
      mayRetry: false,
      mayHaveArrived: false,
    })
    expect(met).toEqual([])
  })

  it('never leads to one without', async () => {
    const server = createServer({ cert: CERTIFICATE, key: fixture('localhost.key.pem') }, (_, response) => {
      response.writeHead(302, { location: 'http://localhost:1/' }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const answer = await clientOf({ trusting: true }).request({
      ...asking(`https://localhost:${port}/`),
      redirects: 5,
    })
    expect(answer.status).toBe(302)
  })
})
