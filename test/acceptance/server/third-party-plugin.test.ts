import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAdmin,
  createFolder,
  type ServerProcess,
  signIn,
  startServer,
  type TestFolder,
  testConfig,
} from '../../kit/server-process.ts'

const pluginFile = (name: string) =>
  fileURLToPath(new URL(`../../fixtures/third-party-plugin/${name}`, import.meta.url))
const GREETER = pluginFile('greeter.js')
const ISBN = pluginFile('isbn.js')
const REFUSER = pluginFile('refuser.js')
const CRAWLERS = pluginFile('crawlers.js')
const SHELF = pluginFile('shelf.js')
const STANDARD = ['rest', 'sqlite', 'ratelimit', 'auth', 'audit', 'system', 'domain', 'openapi']
const NOTES = `
domain:
  name: notes
  version: '1.0.0'
  resources: { Note: { object: { text: string } } }
`
const LIBRARY = `
domain:
  name: library
  version: '1.0.0'
  resources:
    Book:
      object:
        isbn: { type: isbn, required: true, unique: true }
        title: string
`

describe('a plugin from outside the house', () => {
  let folder: TestFolder
  let server: ServerProcess
  let token: string

  beforeAll(async () => {
    folder = createFolder()
    const shelf = { use: SHELF, config: { folder: join(folder.path, 'shelf') } }
    const plugins = [
      ...STANDARD,
      { use: GREETER, config: { greeting: 'Moin' } },
      ISBN,
      REFUSER,
      CRAWLERS,
      shelf,
    ]
    const config = folder.write({ ...testConfig({ sqlite: { path: 'svc.db' } }), plugins })
    const password = await createAdmin(config)
    server = await startServer(config)
    token = await signIn(server.request, password)
  })
  afterAll(async () => {
    await server?.stop()
    folder.remove()
  })

  it('answers at its own route, as its configuration says', async () => {
    const { status, body } = await server.request('GET', '/api/v1/greetings/Ann')
    expect([status, body]).toEqual([200, { status: 'ok', code: 200, data: { greeting: 'Moin, Ann!' } }])
  })

  it('has its input checked and its access enforced like any other', async () => {
    const long = await server.request('GET', `/api/v1/greetings/${'a'.repeat(51)}`)
    expect([long.status, long.body.errors[0].rule]).toEqual([422, 'maxLength'])
    expect((await server.request('GET', '/api/v1/greetings')).status).toBe(401)
  })

  it("hangs Hono's middleware and a route of its own on the server", async () => {
    const robots = await fetch(`${server.url}/robots.txt`)
    expect([robots.status, await robots.text()]).toEqual([200, 'User-agent: *\nDisallow: /\n'])
    expect(robots.headers.get('x-request-id')).toBeTruthy()
    expect(robots.headers.get('server-timing')).toBeNull()
    const answer = await fetch(`${server.url}/api/v1/greetings/Ann`)
    expect(answer.headers.get('server-timing')).toMatch(/total;dur=/)
    expect(await answer.json()).toMatchObject({ data: { greeting: 'Moin, Ann!' } })
  })

  it('takes bytes at the rest of a path, and answers them', async () => {
    const picture = Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251)
    const put = (path: string, type: string, bearer = token) =>
      fetch(`${server.url}/api/v1/shelf/${path}`, {
        method: 'PUT',
        headers: { 'content-type': type, ...(bearer && { authorization: `Bearer ${bearer}` }) },
        body: picture,
      })
    const stored = await put('2026/cat.png', 'image/png')
    expect([stored.status, await stored.json()]).toMatchObject([201, { data: { path: '2026/cat.png' } }])
    const taken = await fetch(`${server.url}/api/v1/shelf/2026/cat.png`)
    expect(Buffer.from(await taken.arrayBuffer()).equals(picture)).toBe(true)
    expect((await put('2026/cat.txt', 'text/plain')).status).toBe(415)
    expect((await put('2026/dog.png', 'image/png', '')).status).toBe(401)
    expect((await put('.hidden', 'image/png')).status).toBe(422)
    expect(readdirSync(join(folder.path, 'shelf'), { recursive: true }).toSorted()).toEqual([
      '2026',
      join('2026', 'cat.png'),
    ])
  })

  it('is listed with the rest', async () => {
    const { body } = await server.request('GET', '/api/v1/plugins')
    expect(body.data.plugins).toContainEqual({ name: 'greeter', type: 'handler', status: 'ready' })
  })

  it('hears of records that are created over HTTP', async () => {
    await server.request('POST', '/api/v1/domains', { token, body: { content: NOTES } })
    const { body } = await server.request('POST', '/api/v1/notes/notes', { token, body: { text: 'hello' } })
    const heard = async () => (await server.request('GET', '/api/v1/greetings', { token })).body.data.heard
    await expect.poll(heard).toEqual([{ name: 'svc.notes.note.created', id: body.data.id }])
  })

  // The program has the kernel in its bundle, and the plugin imports another copy of it.
  it.each([
    ['made', 201, { data: { made: true } }],
    ['text', 200, { data: { text: true } }],
    ['missing', 404, { error_code: 'NOT_FOUND', error_message: 'No such thing' }],
    ['sold-out', 409, { error_code: 'SOLD_OUT', error_message: 'Nothing is left' }],
    ['broken', 500, { error_code: 'INTERNAL_ERROR' }],
  ])('answers and refuses by a kernel of its own: %s', async (name, status, body) => {
    const answer = await server.request('GET', `/api/v1/refuser/${name}`)
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining(body)])
  })

  describe('that adds a field type', () => {
    const BOOKS = '/api/v1/library/books'
    const create = (isbn: unknown) => server.request('POST', BOOKS, { token, body: { isbn } })

    beforeAll(async () => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token,
        body: { content: LIBRARY },
      })
      expect([status, body.warnings]).toEqual([201, undefined])
    })

    it('brings values into their stored form', async () => {
      const { status, body } = await create('978-3-16-148410-0')
      expect([status, body.data.isbn]).toEqual([201, '9783161484100'])
    })

    it('has its example offered by the document', async () => {
      const { body } = await server.request('GET', '/api/v1/domains/library/openapi.json')
      expect(body.components.schemas.BookInput.example.isbn).toBe('9783161484100')
    })

    it('sees through other ways to write a value that is taken', async () => {
      expect((await create('979-10-90636-07-1')).status).toBe(201)
      expect((await create('9791090636071')).status).toBe(409)
    })

    it.each([
      ['978-3-16-148410-1', 'checkDigit'],
      ['978-0-306-40615-75', 'format'],
      ['3-16-148410-X', 'format'],
      [9783161484100, 'type'],
      [null, 'required'],
    ])('refuses %j by the rule %s', async (isbn, rule) => {
      const { status, body } = await create(isbn)
      expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field: 'isbn', rule })]])
    })

    it('reads filters as it reads values, and offers the comparisons that it names', async () => {
      await create('978-0-306-40615-7')
      const found = async (filter: string) => {
        const { status, body } = await server.request('GET', `${BOOKS}?${filter}`, { token })
        return [status, body.data?.items.map(({ isbn }: { isbn: string }) => isbn)]
      }
      expect(await found('filter[isbn]=978-0-306-40615-7')).toEqual([200, ['9780306406157']])
      expect(await found('filter[isbn]=978-0-306-40615-8')).toEqual([400, undefined])
      expect(await found('filter[isbn][like]=978')).toEqual([400, undefined])
    })

    it('stands in the API document with its schema', async () => {
      const { status, body } = await server.request('GET', '/api/v1/domains/library/openapi.json', { token })
      const shown = { type: 'string', pattern: '^97[89](?:-?[0-9]){10}$' }
      expect(status).toBe(200)
      expect(body.components.schemas.Book.properties.isbn).toMatchObject(shown)
    })
  })
})
