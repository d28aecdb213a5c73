import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import { ORDERS, SHOP } from '../shop.ts'
import { answerChecks } from './answer-checks.ts'

const WORKSHOP = readFileSync(
  new URL('../../../apps/server/examples/workshop/domain.yaml', import.meta.url),
  'utf8',
)
const SERVICE = '/api/v1/openapi.json'
const DOMAINS = ['workshop', 'shop']
const ALL = [SERVICE, ...DOMAINS.map((name) => `/api/v1/domains/${name}/openapi.json`)]

// Documents come from the model and the actions alone, so one store is enough.
const [store] = STORES

/** What a linter says of a document: all rules that it recommends are on. */
async function complaints(document: object): Promise<readonly string[]> {
  const source = JSON.stringify(document)
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return problems
    .filter(({ ruleId, message }) => ruleId !== 'no-ambiguous-paths' || !isToldApart(message))
    .map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer} ${message}`)
}

/**
 * Pairs that a linter takes for ambiguous, since it does not know what a name may be: nothing is called `instances` or
 * `firings`, for the language refuses these names. Any other pair is a complaint.
 */
const TOLD_APART: readonly (readonly [string, string])[] = [
  ['/workflows/instances/{id}', '/workflows/{name}/instances'],
  ['/schedules/firings/{id}', '/schedules/{name}/next'],
  ['/schedules/firings/{id}', '/schedules/{name}/run'],
  // No record has the key `columns`: keys of sheets here are uuids.
  ['/stand-sheets/{id}/versions', '/stand-sheets/columns/{column}'],
]

/** Whether a complaint is about two paths below one domain that are told apart by a name that is refused. */
function isToldApart(message: string): boolean {
  const paths = [...message.matchAll(/`([^`]+)`/g)].map(([, path]) => path!)
  const [base = '', ...more] = paths.map((path) => /^\/api\/v1\/[^/]+(?=\/)/.exec(path)?.[0])
  const below = paths.map((path) => path.slice(base.length))
  return more.every((other) => other === base) && TOLD_APART.some((pair) => isDeepStrictEqual(pair, below))
}

describe('the document of a server without domains', () => {
  const server = useTestKernel({ store: store! })

  it('passes every rule that the linter recommends', async () => {
    expect(await complaints((await server().request('GET', SERVICE)).body)).toEqual([])
  })
})

describe('documents', () => {
  const server = useTestKernel({ store: store!, definition: WORKSHOP })
  const document = async (path: string) => (await server().request('GET', path)).body
  beforeAll(() => server().submit(SHOP))

  for (const path of ALL) {
    it(`${path} passes every rule that the linter recommends`, async () => {
      expect(await complaints(await document(path))).toEqual([])
    })

    it(`${path} fits the JSON Schema of OpenAPI 3.1`, async () => {
      const { valid, errors } = await new Validator().validate(await document(path))
      expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    })
  }

  it('name every address of the server, but for aliases and files of pages', async () => {
    const { paths } = await document(SERVICE)
    const { routes } = (await server().request('GET', '/api/v1/routes')).body.data
    const shape = (path: string) => path.replace(/[:*][^/]+|\{[^}]+\}/g, '{}')
    const documented = new Set(
      Object.entries<object>(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${shape(path)}`),
      ),
    )
    const missing = (routes as { method: string; path: string }[])
      .map(({ method, path }) => `${method} ${shape(path)}`)
      .filter((route) => !documented.has(route))
    const isOther = (route: string) =>
      /^[A-Z]+ \/api\/(shop|v1\/docs\/assets)\//.test(route) || route.endsWith('/distinct/{}')
    expect(missing.filter((route) => !isOther(route))).toEqual([])
  })

  it('name the fields of `distinct` by a query parameter: as a path it would look like one of a record', async () => {
    const { paths } = await document('/api/v1/domains/shop/openapi.json')
    expect(paths).toHaveProperty([`${ORDERS}/distinct`])
    expect(paths).not.toHaveProperty([`${ORDERS}/distinct/{field}`])
    const told = (await server().request('GET', `${ORDERS}/distinct?field=status`, { token: server().admin }))
      .status
    expect(told).toBe(200)
  })

  it('of a domain hold its own addresses, and what a client needs to sign in', async () => {
    const { paths, components } = await document('/api/v1/domains/shop/openapi.json')
    const others = Object.keys(paths).filter((path) => !path.startsWith('/api/v1/shop/'))
    expect(others).toEqual(
      expect.arrayContaining(['login', 'refresh', 'logout', 'me'].map((name) => `/api/v1/auth/${name}`)),
    )
    expect(others.filter((path) => !path.startsWith('/api/v1/auth/'))).toEqual([])
    const { post } = paths['/api/v1/auth/login']
    expect(post.security).toEqual([])
    expect(post.requestBody.content['application/json'].schema.required).toEqual(['username', 'password'])
    expect(components.securitySchemes).toHaveProperty('bearerAuth')
  })

  it('name Retry-After wherever it may be sent: 2.4 for 429 and for 503', async () => {
    const { responses } = (await document(SERVICE)).components
    const waiting = Object.entries<{ headers?: object }>(responses).filter(([, { headers = {} }]) =>
      Object.hasOwn(headers, 'Retry-After'),
    )
    expect(waiting.map(([name]) => name).toSorted()).toEqual(['RateLimited', 'Unavailable'])
  })

  it('name the tag of a record wherever it is answered (2.8), and the key of every POST that is done once (2.9)', async () => {
    const { paths } = await document('/api/v1/domains/workshop/openapi.json')
    const order = '/api/v1/workshop/repair-orders/{id}'
    const { get, patch } = paths[order]
    expect(get.responses['200'].headers).toHaveProperty('ETag')
    expect(get.responses).toHaveProperty('304')
    expect(patch.responses['200'].headers).toHaveProperty('ETag')
    // A preview keeps nothing that could be there twice, there are no two columns of one name, and messages of webhooks are
    // told by their nonce or their id.
    const posts = Object.entries<{ post?: { parameters?: unknown } }>(paths).filter(
      ([path, { post }]) =>
        post !== undefined &&
        path.startsWith('/api/v1/workshop/') &&
        !/\/(preview|columns|webhooks\/\{name\})$/.test(path),
    )
    const twice = posts.filter(([, { post }]) => !JSON.stringify(post).includes('/IdempotencyKeyParam'))
    expect(posts.length).toBeGreaterThan(50)
    expect(twice.map(([path]) => path)).toEqual([])
  })

  it('promise 404 below a parent (4.4), and refusals of what everybody may send', async () => {
    const { paths } = await document('/api/v1/domains/workshop/openapi.json')
    const below = '/api/v1/workshop/repair-orders/{repairOrderId}/work-logs'
    for (const [path, method] of [
      [below, 'get'],
      [below, 'post'],
      [`${below}/count`, 'get'],
      [`${below}/export`, 'get'],
    ] as const)
      expect(paths[path][method].responses, path).toHaveProperty('404')
    for (const status of ['401', '403'])
      expect(paths['/api/v1/auth/login'].post.responses).toHaveProperty(status)
  })

  it('describe refused sign-ins as they are', async () => {
    const check = answerChecks(await document(SERVICE))
    const path = '/api/v1/auth/login'
    const wrong = await server().request('POST', path, { body: { username: 'nobody', password: 'wrong' } })
    expect({ status: wrong.status, faults: check('post', path, wrong) }).toEqual({ status: 401, faults: [] })
  })

  it('show variables as they are written, and nothing of what they hold', async () => {
    process.env['SVC_DOMAIN_DOCUMENTED'] = 'hunter2'
    onTestFinished(() => void delete process.env['SVC_DOMAIN_DOCUMENTED'])
    const secret = '${SVC_DOMAIN_DOCUMENTED}'
    await server().submit(
      JSON.stringify({
        domain: {
          name: 'vault',
          version: '1.0.0',
          description: secret,
          resources: { Item: { object: { code: { type: 'string', default: secret, description: secret } } } },
        },
      }),
    )
    for (const path of [SERVICE, '/api/v1/domains/vault/openapi.json']) {
      const text = JSON.stringify(await document(path))
      expect(text).not.toContain('hunter2')
      expect(text).toContain(secret)
    }
  })

  it('describe the answers that the server gives', async () => {
    const { request, admin: token } = server()
    const customers = '/api/v1/shop/customers'
    const manager = (await server().account('boss', ['manager'])).token
    const check = answerChecks(await document('/api/v1/domains/shop/openapi.json'))
    const made = await request('POST', customers, { token, body: { name: 'Ada', email: 'ada@example.org' } })
    const id: string = made.body.data.id
    const order = { number: 1, total: 12.5, customerId: id, placedAt: '2026-03-01T10:00:00Z' }
    const placed = await request('POST', ORDERS, { token, body: order })
    const at = `${ORDERS}/${placed.body.data.id}`

    expect(check('post', customers, made)).toEqual([])
    expect(check('post', ORDERS, placed)).toEqual([])
    expect(check('get', ORDERS, await request('GET', ORDERS, { token }))).toEqual([])
    expect(check('get', ORDERS, await request('GET', `${ORDERS}?offset=0&fields=number`, { token }))).toEqual(
      [],
    )
    expect(check('get', `${ORDERS}/{id}`, await request('GET', at, { token: manager }))).toEqual([])
    expect(check('get', `${ORDERS}/count`, await request('GET', `${ORDERS}/count`, { token }))).toEqual([])
    const change = await request('PATCH', at, { token, body: { note: 'soon' } })
    expect(check('patch', `${ORDERS}/{id}`, change)).toEqual([])
    const faulty = await request('POST', ORDERS, { token, body: { number: 'one', odd: true } })
    expect(faulty.status).toBe(422)
    expect(check('post', ORDERS, faulty)).toEqual([])
    const stranger = await request('GET', ORDERS)
    expect(stranger.status).toBe(401)
    expect(check('get', ORDERS, stranger)).toEqual([])
    expect(check('delete', `${ORDERS}/{id}`, await request('DELETE', at, { token: manager }))).toEqual([])
  })

  it('describe accounts, administration and the state of the server as they are', async () => {
    const { request, admin: token } = server()
    const check = answerChecks(await document(SERVICE))
    const visited = [
      '/',
      '/health',
      '/version',
      '/api/v1/status',
      '/api/v1/plugins',
      '/api/v1/routes',
      '/api/v1/auth/me',
      '/api/v1/admin/users',
      '/api/v1/admin/roles',
      '/api/v1/admin/audit',
      '/api/v1/domains',
    ]
    for (const path of visited) {
      const answer = await request('GET', path, { token })
      expect({ status: answer.status, faults: check('get', path, answer) }, path).toEqual({
        status: 200,
        faults: [],
      })
    }
    const account = { username: 'newcomer', email: 'new@example.org', password: 'Correct-horse-7' }
    const registered = await request('POST', '/api/v1/auth/register', { body: account })
    expect(registered.status).toBe(201)
    expect(check('post', '/api/v1/auth/register', registered)).toEqual([])
  })
})
