import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSecond } from '../../kit/second-server.ts'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import { BUCKET, startBucket } from '../files/places.ts'

const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../plugins/rest/src/fixtures/${name}`, import.meta.url)), 'utf8')
const CERTIFICATE = fixture('localhost.cert.pem')
const KEY = fixture('localhost.key.pem')
const PASSPHRASE = 'open, key of tests'
const SEALED = createPrivateKey(KEY).export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: PASSPHRASE,
}) as string

const VARIABLES = {
  AUTH_KEY: KEY,
  AUTH_SEALED: SEALED,
  AUTH_PASSPHRASE: PASSPHRASE,
  AUTH_ID: 'S3RVER',
  AUTH_SECRET: 'S3RVER',
  AUTH_TOKEN: 't0ken-of-a-session',
}
const JWT = { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 1000 * 86_400 }
const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64')

for (const store of STORES) {
  describe(`ways to authorize on ${store.name}`, () => {
    let server: TestKernel
    let folder: string
    let secure: Server
    let port: number
    let sink: Sink
    let answer: () => SinkAnswer = () => ({ status: 200 })
    let shown: unknown
    beforeAll(async () => {
      for (const [name, value] of Object.entries(VARIABLES)) process.env[`SVC_DOMAIN_${name}`] = value
      folder = mkdtempSync(join(tmpdir(), 'svc-certs-'))
      writeFileSync(join(folder, 'own.pem'), CERTIFICATE)
      writeFileSync(join(folder, 'own.key'), KEY)
      writeFileSync(join(folder, 'note.txt'), 'nothing of use')
      symlinkSync('/etc/hostname', join(folder, 'outside'))
      secure = createServer(
        { cert: CERTIFICATE, key: KEY, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: false },
        (request, response) => {
          const socket = request.socket as TLSSocket
          shown = { authorized: socket.authorized, name: socket.getPeerCertificate().subject?.CN }
          if (request.url === '/elsewhere')
            response.writeHead(302, { location: `https://127.0.0.1:${port}/` })
          response.end()
        },
      )
      secure.listen(0, '127.0.0.1')
      await once(secure, 'listening')
      port = (secure.address() as AddressInfo).port
      sink = await startSink(() => answer())
      server = await startTestKernel({ store, config: configOf({}) })
    })
    const configOf = (integrations: object) => ({
      jobs: { enabled: false },
      outbound: { allow_private: ['localhost', '127.0.0.1'] },
      integrations: { files_dir: folder, ...integrations },
      auth: { jwt: JWT },
    })
    afterAll(async () => {
      await server.stop()
      await sink.stop()
      secure.closeAllConnections()
      secure.close()
      rmSync(folder, { recursive: true })
      for (const name of Object.keys(VARIABLES)) delete process.env[`SVC_DOMAIN_${name}`]
    })

    const definitionOf = (more: object, operation: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: { Part: { object: { sku: 'string' } } },
          integrations: {
            far: {
              type: 'rest',
              baseUrl: `https://localhost:${port}`,
              ...more,
              operations: { ask: operation },
            },
          },
        },
      })
    const submit = (more: object, operation?: object) => server.submit(definitionOf(more, operation))
    const refused = async (more: object) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf(more) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const ask = async (body: object = {}) => {
      const path = '/api/v1/shop/integrations/far/operations/ask'
      const { status, body: told } = await server.request('POST', path, { token: server.admin, body })
      return { status, code: told.error_code, message: told.error_message, data: told.data }
    }

    it('4.2: `ca` is trusted in place of the usual authorities, also out of a file', async () => {
      await submit({})
      expect(await ask()).toMatchObject({ status: 502, code: 'UPSTREAM_FAILED' })
      for (const trust of [{ ca: CERTIFICATE }, { ca_file: 'own.pem' }]) {
        await submit(trust)
        expect((await ask()).status).toBe(200)
        expect(shown).toEqual({ authorized: false, name: undefined })
      }
    })

    it('4.3: mtls shows a certificate, and never to another origin', async () => {
      const own = [
        { cert: CERTIFICATE, key: '${SVC_DOMAIN_AUTH_KEY}', ca: CERTIFICATE },
        {
          cert: CERTIFICATE,
          key: '${SVC_DOMAIN_AUTH_SEALED}',
          passphrase: '${SVC_DOMAIN_AUTH_PASSPHRASE}',
          ca_file: 'own.pem',
        },
        { cert_file: 'own.pem', key_file: 'own.key', ca: CERTIFICATE },
      ]
      for (const one of own) {
        shown = undefined
        await submit({ auth: { type: 'mtls', ...one } })
        expect((await ask()).status).toBe(200)
        expect(shown).toEqual({ authorized: true, name: 'localhost' })
      }
      shown = undefined
      await submit(
        { ca: CERTIFICATE, redirects: 1, auth: { type: 'mtls', ...own[0] } },
        { path: '/elsewhere' },
      )
      // The other origin has no certificate that anybody trusts there: nothing was shown to it.
      expect(await ask()).toMatchObject({ status: 502 })
      expect(
        await refused({
          baseUrl: sink.url.replace('127.0.0.1', '10.9.8.7'),
          auth: { type: 'mtls', ...own[0] },
        }),
      ).toContain('baseUrl')
    })

    it('4.3: files are read again when they change, and never from elsewhere', async () => {
      await submit({ auth: { type: 'mtls', cert_file: 'own.pem', key_file: 'own.key', ca_file: 'own.pem' } })
      expect((await ask()).status).toBe(200)
      writeFileSync(join(folder, 'own.key'), fixture('other.key.pem'))
      expect(await ask()).toMatchObject({ status: 502, code: 'UPSTREAM_FAILED' })
      writeFileSync(join(folder, 'own.key'), KEY)
      expect((await ask()).status).toBe(200)
      for (const name of ['outside', '../etc/hostname', '/etc/hostname', 'missing.pem', '.'])
        expect(await refused({ ca_file: name }), name).toContain("no file below 'integrations.files_dir'")
    })

    it('4.3: what no certificate can be is refused where it stands', async () => {
      const mtls = (more: object) => refused({ auth: { type: 'mtls', ...more } })
      expect(await mtls({})).toContain('.auth.cert')
      expect(await mtls({ cert: 'x', key: '${SVC_DOMAIN_AUTH_KEY}' })).toContain('no certificate in PEM')
      expect(await mtls({ cert: CERTIFICATE, key: 'literal' })).toContain('.auth.key')
      expect(await mtls({ cert_file: 'own.pem' })).toContain('Name both files')
      expect(await mtls({ cert_file: 'own.pem', key_file: 'own.key', cert: CERTIFICATE })).toContain(
        'stands beside',
      )
      expect(await refused({ ca: CERTIFICATE, ca_file: 'own.pem' })).toContain("stands beside 'ca'")
    })

    it('4.3: ip_whitelist narrows where is connected to, and opens nothing', async () => {
      const only = (...addresses: string[]) => ({
        baseUrl: sink.url,
        auth: { type: 'ip_whitelist', addresses },
      })
      await submit(only('127.0.0.0/8', '192.0.2.1'))
      expect((await ask()).status).toBe(200)
      const before = sink.received.length
      await submit(only('192.0.2.1', '127.0.0.2'))
      expect(await ask()).toMatchObject({ status: 422, code: 'ADDRESS_REFUSED' })
      expect(sink.received.length).toBe(before)
      await submit(only('127.0.0.1'))
      expect((await ask()).status).toBe(200)
      expect(await refused({ ...only('10.0.0.0/8'), baseUrl: 'https://10.0.0.1' })).toContain(
        'does not connect to',
      )
      expect(await refused(only('everywhere'))).toContain('neither an address nor a range')
    })

    it('4.3: aws_sigv4 signs the whole request, what other ways add to it too', async () => {
      const bucket = await startBucket(folder)
      try {
        const auth = {
          type: 'aws_sigv4',
          accessKeyId: '${SVC_DOMAIN_AUTH_ID}',
          secretAccessKey: '${SVC_DOMAIN_AUTH_SECRET}',
          region: 'us-east-1',
          service: 's3',
        }
        server.clock.advance(Math.max(0, Date.now() - server.clock.now()))
        const baseUrl = `http://127.0.0.1:${bucket.port}/${BUCKET}`
        const put = { method: 'PUT', path: '/a%20b', body: { x: 1 }, query: { 'x-id': 'a b&c' } }
        await submit({ baseUrl, auth }, put)
        expect(await ask()).toMatchObject({ status: 200 })
        const wrong = { ...auth, secretAccessKey: '${SVC_DOMAIN_AUTH_TOKEN}' }
        await submit({ baseUrl, auth: wrong }, put)
        expect(await ask()).toMatchObject({ status: 502, data: { status: 403 } })
        const key = { type: 'api_key', key: '${SVC_DOMAIN_AUTH_TOKEN}', query: 'key' }
        await submit(
          { baseUrl: sink.url, auth: [{ ...auth, sessionToken: '${SVC_DOMAIN_AUTH_TOKEN}' }, key] },
          put,
        )
        expect((await ask()).status).toBe(200)
        const { headers, path } = sink.received.at(-1)!
        expect(path).toContain(`key=${VARIABLES.AUTH_TOKEN}`)
        expect(headers['x-amz-security-token']).toBe(VARIABLES.AUTH_TOKEN)
        expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=S3RVER\//)
        const dry = (await ask({ dryRun: true })).data.request
        expect(JSON.stringify(dry)).not.toContain(VARIABLES.AUTH_TOKEN)
        expect(dry.headers.authorization).toBe('[REDACTED]')
      } finally {
        await bucket.stop()
      }
    })

    it('1, 3.3: what is kept is sealed under the key of the operator, and keys of before still open it', async () => {
      answer = () => ({ status: 500 })
      await submit({ baseUrl: sink.url }, { method: 'POST', body: { a: 'sealed' } })
      const failed = async (request: TestKernel['request']) => {
        const path = '/api/v1/shop/integrations/far/operations/ask'
        return (await request('POST', path, { token: server.admin, body: {} })).body.data
          .deadLetterId as string
      }
      const retry = async (request: TestKernel['request'], id: string) => {
        const path = `/api/v1/shop/integrations/far/deadletter/${id}/retry`
        const { status, body } = await request('POST', path, { token: server.admin, body: {} })
        return [status, body.error_code ?? body.data.status]
      }
      const withKeys = async <T>(
        keys: object,
        work: (request: TestKernel['request']) => Promise<T>,
      ): Promise<T> => {
        const other = await startSecond(server.database, server.clock, [], configOf(keys))
        try {
          return await work(other.request)
        } finally {
          await other.stop()
        }
      }
      const derived = await failed(server.request)
      answer = () => ({ status: 200 })
      const first = await withKeys({ encryption_key: keyOf(1) }, async (request) => {
        expect(await retry(request, derived)).toEqual([200, 'retried'])
        answer = () => ({ status: 500 })
        return failed(request)
      })
      answer = () => ({ status: 200 })
      const strange = { encryption_key: keyOf(3) }
      expect(await withKeys(strange, (request) => retry(request, first))).toEqual([409, 'CONFLICT'])
      const rotated = { encryption_key: keyOf(2), previous_encryption_keys: [keyOf(1)] }
      expect(await withKeys(rotated, (request) => retry(request, first))).toEqual([200, 'retried'])
      await expect(withKeys({ encryption_key: 'short' }, () => Promise.resolve())).rejects.toThrow(
        /32 bytes in base64/,
      )
    })
  })
}
