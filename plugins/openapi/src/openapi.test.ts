import { gunzipSync } from 'node:zlib'
import { defineAction } from '@svc/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Documented, startDocumented } from './openapi.testkit.ts'

const definition = (field: string) =>
  `domain: { name: shop, version: '1', resources: { Order: { object: { ${field}: string } } } }`
const DOCUMENT = 'GET /api/v1/openapi.json'
const DOMAIN = 'GET /api/v1/domains/:domain/openapi.json'

let server: Documented
beforeAll(async () => {
  server = await startDocumented()
  await server.mount(definition('note'))
  return () => server.kernel.stop()
})

describe('a document', () => {
  it('is answered as JSON without an envelope, to everybody', async () => {
    const { status, type, body } = await server.get(DOCUMENT)
    expect({ status, type }).toEqual({ status: 200, type: 'application/json' })
    expect(JSON.parse(String(body)).openapi).toBe('3.1.0')
  })

  it('is there for each domain, whatever the case of its name, and for no other', async () => {
    expect((await server.get(DOMAIN, { params: { domain: 'Shop' } })).status).toBe(200)
    const missing = await server.get(DOMAIN, { params: { domain: '__proto__' } })
    expect(missing.status).toBe(404)
    expect(JSON.parse(String(missing.body)).error_code).toBe('NOT_FOUND')
  })

  it('has a tag, and is not sent again to those who have it', async () => {
    const { ETag } = (await server.get(DOCUMENT)).headers
    expect(ETag).toMatch(/^"[\w-]+"$/)
    for (const tag of [ETag!, `"other", W/${ETag}`, '*']) {
      const { status, body } = await server.get(DOCUMENT, { headers: { 'if-none-match': tag } })
      expect({ status, body }).toEqual({ status: 304, body: '' })
    }
    expect((await server.get(DOCUMENT, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('is compressed for those who take that, under a tag of its own', async () => {
    const plain = await server.get(DOCUMENT, { headers: { 'accept-encoding': 'br, gzip;q=0' } })
    const small = await server.get(DOCUMENT, { headers: { 'accept-encoding': 'br, GZIP;q=0.5' } })
    expect(plain.headers).not.toHaveProperty('Content-Encoding')
    expect(small.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' })
    expect(gunzipSync(small.body).toString()).toBe(plain.body)
    expect(small.headers['ETag']).not.toBe(plain.headers['ETag'])
  })

  it('follows the actions: it is written anew after a change, and only then', async () => {
    const before = await server.get(DOMAIN, { params: { domain: 'shop' } })
    expect((await server.get(DOMAIN, { params: { domain: 'shop' } })).body).toBe(before.body)
    await server.mount(definition('remark'))
    const after = await server.get(DOMAIN, { params: { domain: 'shop' } })
    expect(after.headers['ETag']).not.toBe(before.headers['ETag'])
    expect((await server.document('shop'))['components'].schemas.Order.properties).toHaveProperty('remark')
    server.kernel.actions.add(
      defineAction({ name: 'late', access: ['*'], routes: ['GET /late'], handle: () => null }),
    )
    expect((await server.document())['paths']).toHaveProperty('/late')
  })
})

describe('the page', () => {
  const PAGE = 'GET /api/v1/docs'
  const ASSET = 'GET /api/v1/docs/assets/:file'
  const addresses = (page: string) =>
    [...page.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, address]) => new URL(address!, 'http://x/'))
  const fetched = ({ pathname, searchParams }: URL) =>
    server.get(ASSET, {
      params: { file: pathname.split('/').at(-1)! },
      query: Object.fromEntries(searchParams),
    })

  it('loads its own files alone, and says so to the browser', async () => {
    const { type, headers, body } = await server.get(PAGE)
    expect(type).toBe('text/html; charset=utf-8')
    const policy = headers['Content-Security-Policy']!
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'")
    expect(policy).not.toMatch(/https?:|script-src[^;]*unsafe/)
    expect(String(body)).not.toMatch(/https?:\/\//)
    expect(addresses(String(body))).toHaveLength(4)
  })

  it('has its files kept for a year, under addresses that change with their content', async () => {
    const { body } = await server.get(PAGE)
    const answers = await Promise.all(addresses(String(body)).map(fetched))
    expect(answers.map(({ status, type }) => [status, type])).toEqual([
      [200, 'image/png'],
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
    ])
    for (const { headers } of answers) expect(headers['Cache-Control']).toContain('immutable')
    const other = await server.get(ASSET, { params: { file: 'init.js' }, query: { v: 'old' } })
    expect(other.headers['Cache-Control']).toBe('no-cache')
  })

  it('hands out no other file', async () => {
    for (const file of ['package.json', '../package.json', 'constructor', '__proto__', '']) {
      expect((await server.get(ASSET, { params: { file } })).status, file).toBe(404)
    }
  })

  const shown = async (domain?: string) => {
    const { status, body } = await server.get(PAGE, { query: domain === undefined ? {} : { domain } })
    const page = String(body)
    return {
      status,
      document: /data-document="([^"]*)"/.exec(page)?.[1],
      choices: [...page.matchAll(/<option value="([^"]*)"( selected)?>/g)].map(([, name, isChosen]) => [
        name,
        isChosen !== undefined,
      ]),
    }
  }

  it('shows the whole server, and offers each domain', async () => {
    expect(await shown()).toEqual({
      status: 200,
      document: 'openapi.json',
      choices: [
        ['', true],
        ['shop', false],
      ],
    })
  })

  it('shows the document of one domain alone when asked, whatever the case of its name, and of no other', async () => {
    expect(await shown('Shop')).toEqual({
      status: 200,
      document: 'domains/shop/openapi.json',
      choices: [
        ['', false],
        ['shop', true],
      ],
    })
    expect((await shown('"><script>')).status).toBe(404)
  })
})

describe('the first page', () => {
  const FRONT = 'GET /'
  const as = (accept: string) => server.get(FRONT, { headers: { accept } })

  it('names version, page and documents to programs', async () => {
    for (const accept of [
      '',
      '*/*',
      'application/json',
      'text/html;q=0.5, application/json',
      'text/html;q=0',
    ]) {
      const { status, type, headers, body } = await as(accept)
      expect({ status, type, vary: headers['Vary'] }, accept).toEqual({
        status: 200,
        type: 'application/json',
        vary: 'Accept',
      })
      expect(JSON.parse(String(body)).data).toEqual({
        name: 'svc',
        version: '9.9.9',
        docs: '/api/v1/docs',
        openapi: '/api/v1/openapi.json',
        domains: [
          { name: 'shop', docs: '/api/v1/docs?domain=shop', openapi: '/api/v1/domains/shop/openapi.json' },
        ],
      })
    }
  })

  it('is a page that loads nothing to browsers', async () => {
    const { type, headers, body } = await as(
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    )
    expect(type).toBe('text/html; charset=utf-8')
    expect(headers['Content-Security-Policy']).toContain("default-src 'none'; style-src 'unsafe-inline'")
    expect(String(body)).toContain('<a href="/api/v1/docs?domain=shop">shop</a>')
    expect(String(body)).not.toMatch(/<script|src=|https?:/)
  })
})
