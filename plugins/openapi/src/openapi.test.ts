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
    expect(addresses(String(body))).toHaveLength(5)
  })

  it('has its files kept for a year, under addresses that change with their content', async () => {
    const { body } = await server.get(PAGE)
    const answers = await Promise.all(addresses(String(body)).map(fetched))
    expect(answers.map(({ status, type }) => [status, type])).toEqual([
      [200, 'image/png'],
      [200, 'text/css; charset=utf-8'],
      [200, 'text/javascript; charset=utf-8'],
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

  it('offers the whole server and each domain', async () => {
    const { body } = await server.get(PAGE)
    const [, data] = /data-documents="([^"]*)"/.exec(String(body)) ?? []
    expect(JSON.parse(data!.replaceAll('&quot;', '"'))).toEqual([
      { name: 'Whole server', url: 'openapi.json' },
      { name: 'shop', url: 'domains/shop/openapi.json' },
    ])
  })
})
