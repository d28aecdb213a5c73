import { execFileSync } from 'node:child_process'
import { createPrivateKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { everythingKept } from '../kit/at-rest.ts'
import { createAdmin, createFolder, signIn, startServer, testConfig } from '../kit/server-process.ts'
import { startSmtp } from '../kit/smtp.ts'
import { size } from '../kit/size.ts'
import { command, STORES } from '../kit/stores.ts'

// Thirty secrets in every place where one may stand, remotes that send them back in every way, and failures at every step: none
// of them is anywhere afterwards but where it was handed out.

/** Stands in every secret, in each of its spellings but base64; nobody writes it by chance. */
const MARK = `q7Zk${randomBytes(6).toString('hex')}W`
/** What percent-encoding, JSON and shells write otherwise. */
const CHARACTERS = '"\\/+&=%<>; \''
let made = 0
const secret = (plain = false) =>
  `s${(made += 1)}${plain ? '' : CHARACTERS}${MARK}${plain ? '' : CHARACTERS}end`

const PASSPHRASE = secret()
const KEY = createPrivateKey(
  readFileSync(new URL('../../plugins/rest/src/fixtures/localhost.key.pem', import.meta.url), 'utf8'),
).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSPHRASE }) as string
const CERTIFICATE = readFileSync(
  new URL('../../plugins/rest/src/fixtures/localhost.cert.pem', import.meta.url),
  'utf8',
)

/** Every variable of the definition, by its name behind `SVC_DOMAIN_`. */
const secretsOf = (amqp: number, mqtt: number): Readonly<Record<string, string>> => ({
  HEADER_KEY: secret(),
  QUERY_KEY: secret(),
  BEARER: secret(true),
  BASIC: secret(),
  CLIENT_BASIC: secret(),
  CLIENT_POST: secret(),
  CLIENT_CODE: secret(),
  HMAC: secret(),
  TLS_KEY: KEY,
  TLS_PASSPHRASE: PASSPHRASE,
  AWS_ID: secret(true),
  AWS_KEY: secret(),
  AWS_TOKEN: secret(),
  STORE_ID: secret(true),
  STORE_KEY: secret(),
  STORE_TOKEN: secret(),
  MAIL: secret(),
  AMQP_URL: `amqp://guest:${encodeURIComponent(secret())}@127.0.0.1:${amqp}`,
  AMQP_PASSWORD: secret(),
  MQTT_URL: `mqtt://guest:${encodeURIComponent(secret())}@127.0.0.1:${mqtt}`,
  MQTT_PASSWORD: secret(),
  HOOK_FIRST: secret(),
  HOOK_SECOND: secret(),
  HOOK_KEY: secret(),
  HOOK_BEARER: secret(true),
  HOOK_BASIC: secret(),
  HOOK_STANDARD: `whsec_${MARK.padEnd(44, 'A')}`,
  HOOK_STRIPE: secret(),
  NOTICE: `whsec_${MARK.padEnd(48, 'B')}`,
  LETTERS: secret(),
})

/** What a remote does, by the end of a path. */
const MODES = [
  'ok',
  'fail',
  'packed',
  'denied',
  'moved',
  'broken',
  'reset',
  'malformed',
  'headers',
  'huge',
  'text',
  'slow',
] as const
/** How many of these each integration meets. */
const MET = MODES.slice(0, size('SECRETS_MODES', { smoke: 2, whole: MODES.length }))
/** How long is waited for a remote: where none is slow by itself, a busy machine gives none up. */
const PATIENCE = (MET as readonly string[]).includes('slow') ? '1s' : '20s'

const spellings = (text: string) => ({
  raw: text,
  base64: Buffer.from(text).toString('base64'),
  percent: encodeURIComponent(text),
  json: JSON.stringify(text),
})

const listening = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

for (const store of STORES)
  describe(`secrets on ${store.name}`, () => {
    it('[3.2] stand nowhere in clear, whatever remotes send back and whatever fails', async () => {
      let all: readonly string[] = []
      /** What a server knows of the request, and all secrets in all spellings. */
      const echoOf = (headers: object, url: string) => ({ headers, url, all: all.map(spellings) })

      // Servers that speak no protocol at all, for brokers.
      const garbage = () =>
        createTcpServer((socket) => {
          socket.on('error', () => undefined)
          socket.once('data', (chunk) => {
            socket.write(chunk)
            socket.end(all.join('\0'))
          })
        })
      const [amqp, mqtt] = [await listening(garbage()), await listening(garbage())]
      const variables = secretsOf(amqp, mqtt)
      expect(Object.keys(variables)).toHaveLength(30)

      const handedOut: string[] = []
      /** The refresh token that was given with each access token. */
      const given = new Map<string, string>()
      const remote = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => void chunks.push(chunk))
        request.on('end', () => {
          const sent = Buffer.concat(chunks).toString()
          // Nobody can hide a token that has not reached it: it is sent back once it was used.
          const bearer = (request.headers.authorization ?? '').replace('Bearer ', '')
          const [access, refresh] = [bearer, given.get(bearer)]
          if (refresh !== undefined && !all.includes(access)) all = [...all, access, refresh]
          const echo = JSON.stringify({ ...echoOf(request.headers, request.url ?? ''), sent })
          const json = { 'content-type': 'application/json' }
          if (request.url === '/token') {
            const [access, refresh] = [secret(true), secret(true)]
            const verifier = new URLSearchParams(sent).get('code_verifier')
            if (verifier) handedOut.push(verifier)
            const told = { access_token: access, refresh_token: refresh, token_type: 'Bearer', echo }
            given.set(access, refresh)
            return void response.writeHead(200, json).end(JSON.stringify(told))
          }
          if (request.url === '/badtoken')
            return void response
              .writeHead(400, json)
              .end(JSON.stringify({ error: 'invalid_client', error_description: echo }))
          const mode = MODES.find((one) => request.url?.includes(`/${one}`)) ?? 'fail'
          const told = {
            ...json,
            'x-echo': all
              .map((one) => spellings(one).percent)
              .slice(0, 6)
              .join(','),
          }
          const plain = all
            .map((one) => one.replaceAll(/[^\x20-\x7e]/g, ''))
            .slice(0, 4)
            .join(' ')
          switch (mode) {
            case 'ok':
              return void response.writeHead(200, plain, told).end(echo)
            case 'text':
              return void response.writeHead(200, { 'content-type': 'text/plain' }).end(all.join(' '))
            case 'fail':
              return void response.writeHead(500, plain, told).end(echo)
            case 'denied':
              return void response.writeHead(401, { ...told, 'www-authenticate': plain }).end(echo)
            case 'moved':
              return void response
                .writeHead(302, { location: `https://far.example/?${echoQuery(all)}` })
                .end()
            case 'packed':
              return void response.writeHead(500, { ...told, 'content-encoding': 'gzip' }).end(gzipSync(echo))
            case 'broken':
              return void response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(echo)
            case 'headers':
              return void request.socket.end(
                `HTTP/1.1 200 ${plain}\r\nx-long: ${plain.padEnd(40_000, 'x')}\r\n\r\n`,
              )
            case 'huge':
              return void response.writeHead(200, json).end(echo.padEnd(400_000, ' '))
            case 'malformed':
              return void request.socket.end(`HTTP/9 ${plain}\r\n${plain}\r\n\r\n${echo}`)
            case 'reset':
              response.writeHead(200, { ...json, 'content-length': String(echo.length * 2) })
              response.write(echo)
              return void setTimeout(() => request.socket.destroy(), 20)
            default:
              return undefined
          }
        })
      })
      const port = await listening(remote)
      onTestFinished(() => remote.closeAllConnections())
      const base = `http://127.0.0.1:${port}`

      // A certificate whose name is a secret: it does not fit, and the reason says its name.
      const folder = createFolder()
      const [keyFile, certFile] = [join(folder.path, 'k.pem'), join(folder.path, 'c.pem')]
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-keyout',
          keyFile,
          '-out',
          certFile,
          '-days',
          '2',
        ].concat(['-subj', `/CN=${variables['BEARER']}`]),
        { stdio: 'ignore' },
      )
      const named = readFileSync(certFile, 'utf8')
      const secure = createSecureServer(
        { key: readFileSync(keyFile), cert: named },
        (_, response) => void response.end(),
      )
      const securePort = await listening(secure)
      // One that wants a certificate, and sends back what it knows in the end.
      const mutual = createSecureServer(
        {
          key: readFileSync(new URL('../../plugins/rest/src/fixtures/localhost.key.pem', import.meta.url)),
          cert: CERTIFICATE,
          requestCert: true,
          rejectUnauthorized: false,
        },
        (_, response) => void response.writeHead(500).end(all.join(' ')),
      )
      const mutualPort = await listening(mutual)
      onTestFinished(() => {
        secure.closeAllConnections()
        mutual.closeAllConnections()
      })
      const post = await startSmtp({
        authOptional: false,
        onAuth: ({ password }, _, done) =>
          done(
            Object.assign(new Error(`not you, ${password}, nor ${all.join(' ').slice(0, 400)}`), {
              responseCode: 535,
            }),
          ),
      })
      onTestFinished(() => post.stop())
      all = Object.values(variables).filter((one) => one !== KEY)

      const database = await store.open()
      const config = folder.write(
        testConfig({
          ...database.config({ pool_size: 10 }),
          logging: { level: 'debug', format: 'json' },
          outbound: { allow_private: ['127.0.0.1', 'localhost'] },
          jobs: { poll_seconds: 0.2 },
          integrations: {
            public_url: 'https://shop.example',
            files_dir: folder.path,
            max_body_bytes: 300_000,
          },
          metrics: { port: 0 },
          management: { socket: false },
        }),
      )
      const env = Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [`SVC_DOMAIN_${name}`, value]),
      )
      const password = await createAdmin(config, { env })
      const server = await startServer(config, { env })
      onTestFinished(async () => {
        server.kill('SIGKILL')
        await server.exited
        await database.drop()
        folder.remove()
      })
      const token = await signIn(server.request, password)

      /** Every answer, but for those that hand something out. */
      const answers: string[] = []
      const ask = async (
        method: string,
        path: string,
        body?: unknown,
        headers: Record<string, string> = {},
      ) => {
        const url = `${server.url}${path}`
        const sent = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers }
        const answer = await fetch(url, {
          method,
          headers: sent,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const text = await answer.text()
        answers.push(
          `${method} ${path.split('?', 1)[0]} ${answer.status} ${JSON.stringify([...answer.headers])} ${text}`,
        )
        return { status: answer.status, text, data: text.startsWith('{') ? JSON.parse(text).data : undefined }
      }

      const v = (name: string) => `\${SVC_DOMAIN_${name}}`
      const tell = {
        method: 'POST',
        resource: 'Order',
        path: '/e/{number}',
        body: { number: '$record.number' },
        timeout: PATIENCE,
      }
      const note = { mapping: { note: "$headers['x-echo']", more: '$response' } }
      const operations = { tell: { ...tell, write: note } }
      const retry = {
        maxAttempts: 2,
        backoff: 'fixed',
        baseDelay: '10ms',
        retryOn: ['5xx', 'network', 'timeout'],
      }
      const rest = (auth: object) => ({ type: 'rest', baseUrl: base, auth, retry, operations })
      const oauth = { tokenUrl: `${base}/token`, clientId: 'shop' }
      const aws = { type: 'aws_sigv4', region: 'eu-west-2' }
      const storeAuth = {
        ...aws,
        accessKeyId: v('STORE_ID'),
        secretAccessKey: v('STORE_KEY'),
        sessionToken: v('STORE_TOKEN'),
      }
      const consume = {
        direction: 'consume',
        write: { resource: 'Order', mapping: { number: '$message.n' } },
      }
      const hook = (auth: object) => ({
        type: 'webhook',
        ...auth,
        write: { resource: 'Order', mapping: { number: '$payload.n' } },
      })
      const integrations: Record<string, object> = {
        byHeader: {
          ...rest({ type: 'api_key', key: v('HEADER_KEY') }),
          operations: { tell: { ...operations.tell, trigger: { resource: 'Order', event: 'create' } } },
          deadLetter: {
            notifyOn: {
              on: ['added'],
              notification: {
                channels: [{ type: 'webhook', url: `${base}/e/fail`, secret: v('NOTICE') }, 'log'],
                template: { body: '{$error}' },
              },
            },
          },
        },
        byQuery: rest({ type: 'api_key', key: v('QUERY_KEY'), query: 'key' }),
        byBearer: rest({ type: 'bearer', token: v('BEARER') }),
        byBasic: rest({ type: 'basic', username: 'shop', password: v('BASIC') }),
        byClient: rest({ type: 'oauth2_client_credentials', ...oauth, clientSecret: v('CLIENT_BASIC') }),
        byClientRefused: rest({
          type: 'oauth2_client_credentials',
          ...oauth,
          tokenUrl: `${base}/badtoken`,
          clientSecret: v('CLIENT_POST'),
          clientAuth: 'post',
        }),
        byCode: rest({
          type: 'oauth2_authorization_code',
          ...oauth,
          authorizationUrl: `${base}/authorize`,
          clientSecret: v('CLIENT_CODE'),
        }),
        bySignature: rest({ type: 'hmac_signature', secret: v('HMAC') }),
        byAws: rest({
          ...aws,
          service: 'execute-api',
          accessKeyId: v('AWS_ID'),
          secretAccessKey: v('AWS_KEY'),
          sessionToken: v('AWS_TOKEN'),
        }),
        byName: {
          ...rest({ type: 'bearer', token: v('LETTERS') }),
          baseUrl: `https://localhost:${securePort}`,
          ca_file: 'c.pem',
        },
        byCertificate: {
          ...rest({ type: 'mtls', cert: CERTIFICATE, key: v('TLS_KEY'), passphrase: v('TLS_PASSPHRASE') }),
          baseUrl: `https://localhost:${mutualPort}`,
          ca: CERTIFICATE,
        },
        bucket: {
          type: 'object_storage',
          bucket: 'papers',
          endpoint: base,
          auth: storeAuth,
          retry,
          operations: {
            tell: { resource: 'Order', action: 'put', key: '{number}', body: { n: '$record.number' } },
            get: {
              resource: 'Order',
              action: 'get',
              key: '{number}',
              write: { mapping: { more: '$response.body' } },
            },
            presign: {
              action: 'presign',
              key: 'ok',
              write: { resource: 'Order', mapping: { note: '$response.url' } },
            },
          },
        },
        post: {
          type: 'smtp',
          host: 'localhost',
          port: post.port,
          secure: 'none',
          from: 'shop@example.org',
          auth: { type: 'basic', username: 'shop', password: v('MAIL') },
          operations: { tell: { resource: 'Order', to: 'ann@example.org', subject: '{number}', text: 'x' } },
        },
        bus: {
          type: 'amqp',
          url: v('AMQP_URL'),
          operations: {
            tell: { resource: 'Order', routingKey: 'x', body: { n: 1 } },
            take: { ...consume, queue: 'q' },
          },
        },
        bus2: {
          type: 'amqp',
          host: '127.0.0.1',
          port: amqp,
          tls: false,
          auth: { type: 'basic', username: 'guest', password: v('AMQP_PASSWORD') },
          operations: { tell: { resource: 'Order', routingKey: 'x', body: { n: 1 } } },
        },
        wire: {
          type: 'mqtt',
          url: v('MQTT_URL'),
          operations: {
            tell: { resource: 'Order', topic: 'x', body: { n: 1 } },
            take: { ...consume, topic: 'q' },
          },
        },
        wire2: {
          type: 'mqtt',
          host: '127.0.0.1',
          port: mqtt,
          tls: false,
          auth: { type: 'basic', username: 'guest', password: v('MQTT_PASSWORD') },
          operations: { tell: { resource: 'Order', topic: 'x', body: { n: 1 } } },
        },
        hookHmac: hook({ signature: { secret: [v('HOOK_FIRST'), v('HOOK_SECOND')] } }),
        hookKey: hook({ auth: { type: 'api_key', key: v('HOOK_KEY') } }),
        hookBearer: hook({ auth: { type: 'bearer', token: v('HOOK_BEARER') } }),
        hookBasic: hook({ auth: { type: 'basic', username: 'shop', password: v('HOOK_BASIC') } }),
        hookStandard: hook({ signature: { secret: v('HOOK_STANDARD'), scheme: 'standard' } }),
        hookStripe: hook({ signature: { secret: v('HOOK_STRIPE'), scheme: 'stripe' } }),
      }
      const content = JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: { Order: { object: { number: 'string', note: 'text', more: 'json' } } },
          integrations,
        },
      })
      const submitted = await ask('POST', '/api/v1/domains', { content })
      expect(submitted.status, submitted.text).toBe(201)

      // Connects by a code, and back.
      const connecting = await ask('POST', '/api/v1/shop/integrations/byCode/oauth/connect', {})
      const state = new URL(connecting.data.authorizationUrl).searchParams.get('state') ?? ''
      const callback = (query: string) =>
        ask('GET', `/api/v1/shop/integrations/byCode/oauth/callback?${query}`)
      await callback(`error=denied&error_description=${encodeURIComponent(all[0] ?? '')}&state=${state}`)
      const again = await ask('POST', '/api/v1/shop/integrations/byCode/oauth/connect', {})
      const second = new URL(again.data.authorizationUrl).searchParams.get('state') ?? ''
      expect((await callback(`code=c0de&state=${second}`)).status).toBe(200)
      expect(handedOut).toHaveLength(1)

      // An endpoint, whose own secret is in one answer.
      const { body: endpoint } = await server.request('POST', '/api/v1/admin/webhooks', {
        token,
        body: {
          url: `${base}/e/fail`,
          events: ['svc.shop.*'],
          headers: { 'X-Key': secret(true), 'X-Other': secret(true) },
        },
      })
      const { id: endpointId, secret: own } = endpoint.data
      handedOut.push(String(own).replace('whsec_', ''))

      // Each remote in each mode, by hand and by itself.
      const names = Object.keys(integrations).filter((name) => !name.startsWith('hook'))
      const outcomes = new Map<string, Set<number>>()
      const trying = async (mode: string) => {
        const { data } = await ask('POST', '/api/v1/shop/orders', { number: mode })
        await Promise.all(
          names.map(async (name) => {
            const path = `/api/v1/shop/integrations/${name}/operations/tell`
            const { status } = await ask('POST', path, { recordId: data.id })
            outcomes.set(name, (outcomes.get(name) ?? new Set()).add(status))
            if (mode === 'ok') await ask('POST', path, { recordId: data.id, dryRun: true })
          }),
        )
        await ask('POST', '/api/v1/shop/integrations/bucket/operations/get', { recordId: data.id })
      }
      for (let at = 0; at < MET.length; at += 3) await Promise.all(MET.slice(at, at + 3).map(trying))
      for (const [name, statuses] of outcomes)
        expect([name, [...statuses]]).toEqual([name, expect.arrayContaining([502])])
      const presign = '/api/v1/shop/integrations/bucket/operations/presign'
      const { body: presigned } = await server.request('POST', presign, { token, body: {} })
      const { searchParams } = new URL(presigned.data.response.url)
      handedOut.push(searchParams.get('X-Amz-Signature') ?? '')

      // Messages with what is nearly, and what is exactly, a secret.
      const basic = (value: string) => `Basic ${Buffer.from(`shop:${value}`).toString('base64')}`
      const knocks: readonly (readonly [string, Record<string, string>])[] = [
        ['hookHmac', { 'x-signature': variables['HOOK_FIRST'] ?? '' }],
        ['hookKey', { 'x-api-key': `${variables['HOOK_KEY']}` }],
        ['hookKey', { 'x-api-key': `${variables['HOOK_KEY']}!` }],
        ['hookBearer', { authorization: `Bearer ${variables['HOOK_BEARER']}` }],
        ['hookBearer', { authorization: `Bearer ${variables['HOOK_BEARER']}!` }],
        ['hookBasic', { authorization: basic(variables['HOOK_BASIC'] ?? '') }],
        ['hookBasic', { authorization: basic(`${variables['HOOK_BASIC']}!`) }],
        [
          'hookStandard',
          {
            'webhook-signature': variables['HOOK_STANDARD'] ?? '',
            'webhook-id': '1',
            'webhook-timestamp': '1',
          },
        ],
        ['hookStripe', { 'stripe-signature': `t=1,v1=${variables['HOOK_STRIPE']}` }],
      ]
      const taken: number[] = []
      for (const [name, headers] of knocks)
        taken.push((await ask('POST', `/api/v1/shop/webhooks/${name}`, { n: 'x' }, headers)).status)
      expect(taken).toEqual([401, 200, 401, 200, 401, 200, 401, 401, 401])

      // What failed is tried again, and told of.
      const looked = async (path: string) => (await ask('GET', path)).data
      await vi.waitFor(
        async () => {
          const { items } = await looked('/api/v1/shop/integrations/byHeader/deadletter')
          expect(items.length).toBeGreaterThanOrEqual(MET.length)
        },
        { timeout: 30_000, interval: 500 },
      )
      for (const name of Object.keys(integrations)) {
        const path = `/api/v1/shop/integrations/${name}`
        for (const one of ['', '/status', '/health']) await ask('GET', `${path}${one}`)
        const log = await looked(`${path}/log?limit=200`)
        for (const { id } of log.items.slice(0, 4)) await ask('GET', `${path}/log/${id}`)
        const letters = await looked(`${path}/deadletter?limit=200`)
        for (const { id, runId } of letters.items.slice(0, 2)) {
          await ask('GET', `${path}/deadletter/${id}`)
          await ask('GET', `${path}/runs/${runId}`)
        }
        const [letter] = letters.items
        if (letter) await ask('POST', `${path}/deadletter/${letter.id}/retry`, { rebuild: true })
      }
      for (const path of [
        '/api/v1/shop/integrations',
        '/api/v1/shop/orders?limit=100',
        '/api/v1/shop/notifications?limit=100',
        '/api/v1/domains/shop/source',
        '/api/v1/domains/shop/source?format=resolved',
        '/api/v1/domains/shop/export',
        '/api/v1/domains/shop/schema',
        '/api/v1/domains/shop/openapi.json',
        '/api/v1/domains/shop/events?limit=500',
        '/api/v1/openapi.json',
        '/api/v1/admin/webhooks',
        `/api/v1/admin/webhooks/${endpointId}/deliveries`,
        '/api/v1/shop/integrations/byCode/oauth',
      ])
        await ask('GET', path)
      const metrics = await server.logged('metrics.listening')
      const measured = await (await fetch(`http://127.0.0.1:${String(metrics['port'])}/metrics`)).text()
      expect(measured).toContain('# TYPE')

      // Everything that is left of all this.
      const places = new Map<string, string>([
        ['answers', answers.join('\n')],
        ['metrics', measured],
        ['log', server.output.stdout + server.output.stderr],
        ['database', await everythingKept(database)],
      ])
      for (const [name, text] of await filesOfCluster(store.name)) places.set(name, text)
      expect(places.get('answers')).toContain('[REDACTED]')
      expect(places.get('database')).toContain('[REDACTED]')
      const needles = new Map<string, string>([
        ['a secret as it is', MARK],
        ...[0, 1, 2].map((at): [string, string] => [`a secret in base64, ${at}`, inBase64(MARK, at)]),
        ['the key of a certificate', KEY.split('\n')[2] ?? ''],
        ...handedOut.map((one, at): [string, string] => [`what was handed out, ${at}`, one]),
      ])
      const found: string[] = []
      for (const [what, needle] of needles) {
        expect(needle.length, what).toBeGreaterThan(10)
        for (const [where, text] of places) {
          const at = text.indexOf(needle)
          const around = text.slice(Math.max(0, at - 300), at + 60).replaceAll(/[^\x20-\x7e]+/g, ' ')
          if (at >= 0) found.push(`${what} in ${where}: ${around}`)
        }
      }
      expect(found).toEqual([])
    }, 400_000)
  })

const echoQuery = (all: readonly string[]): string =>
  all
    .slice(0, 4)
    .map((one) => encodeURIComponent(one))
    .join('&')

/** What of a text's base64 does not depend on what stands around it, where it begins at this place of three. */
function inBase64(text: string, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64')
  return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6))
}

/** The write-ahead log of the PostgreSQL of this run, and the files of its tables, where it is a server of the tests' own. */
async function filesOfCluster(store: string): Promise<readonly (readonly [string, string])[]> {
  const url = inject('postgresUrl')
  if (store !== 'postgres' || url === undefined) return []
  const folder = new URL(url).searchParams.get('host') ?? ''
  if (!existsSync(join(folder, 'data', 'pg_wal'))) return []
  await command(url, 'checkpoint')
  const filesIn = (path: string): readonly string[] =>
    readdirSync(path).flatMap((name) => {
      const file = join(path, name)
      return statSync(file).isDirectory() ? filesIn(file) : [file]
    })
  return ['pg_wal', 'base'].flatMap((part) =>
    filesIn(join(folder, 'data', part)).map(
      (file) => [`${part} ${file}`, readFileSync(file, 'latin1')] as const,
    ),
  )
}
