import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createServer, type AddressInfo } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { echo, held, start } from './fixtures/start.ts'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const tls = { cert_file: fixture('localhost.cert.pem'), key_file: fixture('localhost.key.pem') }

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const answerOf = (asked: ReturnType<typeof request>): Promise<IncomingMessage> =>
  once(asked.end(), 'response').then(([response]) => response.resume())

const secure = (url: string) => answerOf(request(url, { rejectUnauthorized: false, agent: false }))

test('over TLS the security headers include HSTS', async () => {
  const { url } = await start([echo('get', 'GET /x')], { tls, security: { hsts_max_age: 31_536_000 } })
  expect(url()).toMatch(/^https:/)
  const { statusCode, headers } = await secure(`${url()}/x`)
  expect(statusCode).toBe(200)
  expect(headers['strict-transport-security']).toBe('max-age=31536000')
  expect(headers['x-content-type-options']).toBe('nosniff')
})

test('without a maximum age there is no HSTS', async () => {
  const { url } = await start([echo('get', 'GET /x')], { tls })
  expect((await secure(`${url()}/x`)).headers['strict-transport-security']).toBeUndefined()
})

test('plain HTTP is sent to the same address on HTTPS', async () => {
  const port = await freePort()
  const config = {
    tls: { ...tls, redirect_http: true, redirect_http_port: port },
    security: { hsts_max_age: 60 },
  }
  const { port: securePort, kernel } = await start([], config)
  const ask = (host: string, path = '/a/b?c=%20') =>
    answerOf(plainRequest({ port, path, method: 'POST', headers: { host }, agent: false }))
  const { statusCode, headers } = await ask(`example.org:${port}`)
  expect(statusCode).toBe(308)
  expect(headers.location).toBe(`https://example.org:${securePort()}/a/b?c=%20`)
  expect(headers['x-request-id']).toBeTruthy()
  expect(headers['strict-transport-security']).toBeUndefined()
  expect((await ask('[::1]')).headers.location).toBe(`https://[::1]:${securePort()}/a/b?c=%20`)
  expect((await ask('evil.org/x')).statusCode).toBe(400)
  expect((await ask('user@evil.org')).statusCode).toBe(400)
  await kernel.stop()
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

test('a taken redirect port ends the start, and nothing goes on listening', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const [port, redirect] = [await freePort(), (taken.address() as AddressInfo).port]
  const config = { port, tls: { ...tls, redirect_http: true, redirect_http_port: redirect } }
  await expect(start([], config)).rejects.toThrow("'rest.tls.redirect_http_port'")
  const [error] = await once(connect(port, '127.0.0.1'), 'error')
  expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  taken.close()
})

test.each([
  [{ ...tls, cert_file: '/no/such/file' }, /cannot read '\/no\/such\/file'.*rest.tls.cert_file/],
  [{ ...tls, key_file: fixture('other.key.pem') }, /cannot be used together/],
  [{ ...tls, cert_file: fixture('start.ts') }, /cannot be used together/],
])('certificate files that do not work end the start with advice', async (files, message) => {
  await expect(start([], { tls: files })).rejects.toThrow(message)
})

test('a stop does not wait for resting connections or handshakes that never end, and finishes requests', async () => {
  const slow = held('slow', 'GET /slow')
  const { url, port, kernel } = await start([slow.action], { tls, drain_timeout_ms: 500 })
  const mute = connect(port(), '127.0.0.1').on('error', () => undefined)
  const muteClosed = once(mute, 'close')
  const answer = secure(`${url()}/slow`)
  await slow.begun
  const stop = kernel.stop()
  slow.answer('done')
  expect((await answer).statusCode).toBe(200)
  await stop
  await muteClosed
})
