import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const library = (fields: string, extra = '') => `
domain:
  name: library
  version: '1.0.0'
  description: What stands on the shelves
  resources:
    Book:
      object:
        title: { type: string, required: true }
${fields}
      permissions: { list: ['*'], get: ['*'] }
${extra}`

const BOOKS = '/api/v1/library/books'
const DOMAINS = '/api/v1/domains'

for (const store of STORES) {
  describe(`definitions on ${store.name}`, () => {
    const server = useTestKernel({ store })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const submit = (content: string, more = {}) => send('POST', DOMAINS, { content, ...more })
    /** Code, and paths of the faults where there are some. */
    const refusal = ({ status, body }: Awaited<ReturnType<typeof send>>) => [
      status,
      body.error_code,
      ...(body.errors ?? []).map(({ path }: { path: string }) => path),
    ]

    it('are refused from everybody but administrators', async () => {
      const { request, account } = server()
      const body = { content: library('') }
      expect((await request('POST', DOMAINS, { body })).status).toBe(401)
      const { token } = await account('reader')
      expect((await request('POST', DOMAINS, { body, token })).status).toBe(403)
    })

    it('serve from the next request on', async () => {
      expect((await send('GET', BOOKS)).status).toBe(404)
      const { status, body } = await submit(library('        pages: integer'))
      expect(status).toBe(201)
      expect(body.data).toMatchObject({
        domain: 'library',
        version: '1.0.0',
        status: 'active',
        resources: [{ name: 'Book', table: 'library_book' }],
      })
      expect(body.data.ddl_count).toBeGreaterThan(0)
      const created = await send('POST', BOOKS, { title: 'Emma', pages: 474 })
      expect(created.status).toBe(201)
    })

    it('change nothing when nothing changed', async () => {
      const { status, body } = await submit(library('        pages: integer'))
      expect([status, body.data.ddl_count]).toEqual([201, 0])
      const { body: record } = await send('GET', `${DOMAINS}/library`)
      expect(record.data.migrations).toHaveLength(1)
    })

    it('grow with the records in place', async () => {
      expect((await submit(library('        pages: integer\n        isbn: string'))).status).toBe(201)
      const { body } = await send('GET', BOOKS)
      expect(body.data.items).toEqual([expect.objectContaining({ title: 'Emma', pages: 474, isbn: null })])
    })

    it('lose nothing without permission', async () => {
      const refused = await submit(library('        isbn: string'))
      expect([refused.status, refused.body.error_code]).toEqual([422, 'DESTRUCTIVE_MIGRATION'])
      expect(refused.body.data).toEqual([expect.stringContaining('pages')])
      expect((await send('GET', BOOKS)).body.data.items[0]).toHaveProperty('pages', 474)
      const forced = await submit(library('        isbn: string'), { allow_destructive: true })
      expect(forced.status).toBe(201)
      expect((await send('GET', BOOKS)).body.data.items[0]).not.toHaveProperty('pages')
    })

    it('are refused with all their faults, and the place of each', async () => {
      const { status, body } = await submit(
        library('        pages: intger\n        isbn: { type: string, enum: Nowhere }'),
      )
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      const at = body.errors.map(({ path, line }: { path: string; line: number }) => `${line} ${path}`)
      expect(at).toEqual([
        expect.stringContaining('10 domain.resources.Book.object.pages'),
        expect.stringContaining('11 domain.resources.Book.object.isbn'),
      ])
      expect(body.errors[0].message).toContain('integer')
    })

    it('are refused with the faults of every level at once, and the warnings beside them', async () => {
      const { body } = await submit(`
domain:
  name: library
  version: 7
  enums: { Size: { values: [] }, Kind: { values: [novel, poem] } }
  resources:
    Book:
      colour: red
      object: { title: { type: string, required: yes }, kind: { type: string, enum: Knd } }
    Shelf:
      object: { size: { type: string, enum: Size }, label: strin }
    Page:
      object: { number: intger }
      relationships: { book: { type: belongsTo, target: Book }, shelf: { type: belongsTo, target: Shlf } }
    Reader:
      object: { name: strin, kind: { type: string, enum: Knd } }
      permissions: { list: "hasRol('x')" }
`)
      expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
        'domain.version',
        'domain.enums.Size.values',
        'domain.resources.Book.object.title.required',
        'domain.resources.Book.object.kind.enum',
        'domain.resources.Shelf.object.label.type',
        'domain.resources.Page.object.number.type',
        'domain.resources.Page.relationships.shelf.target',
        'domain.resources.Reader.object.name.type',
        'domain.resources.Reader.object.kind.enum',
        'domain.resources.Reader.permissions.list',
      ])
      expect(body.data.warnings).toEqual([
        expect.objectContaining({ path: 'domain.resources.Book.colour', line: 8 }),
      ])
    })

    it.each([
      ['is no text in any known form', '{ nonsense'],
      ['has a reserved name', library('').replace('library', 'admin')],
      ['has a version that is a number', library('').replace("'1.0.0'", '1.0')],
      ['has no resources', "domain: { name: empty, version: '1' }"],
      ['has a key twice', library('        title: text')],
      ['asks for a file', library('', '  $include: [other.yaml]\n')],
      ['grants to a question mark', library('').replace("list: ['*']", "list: ['?']")],
    ])('are refused when one %s', async (_, content) => {
      expect(refusal(await submit(content)).slice(0, 2)).toEqual([422, 'PARSE_ERROR'])
      expect((await send('GET', BOOKS)).status).toBe(200)
    })

    it.each([
      ['60,000 keys that nobody knows', (at: number) => `  k${at}: x`],
      ['60,000 wrong enumerations', (at: number) => `  e${at}: []`],
    ])('are refused at once when one holds %s, and again', async (_, line) => {
      const content = library('') + Array.from({ length: 60_000 }, (__, at) => line(at)).join('\n')
      for (const _time of [1, 2]) {
        const { status, body } = await submit(content)
        expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
        expect(body.error_message).toContain('more than 5000 entries')
      }
      expect((await send('GET', BOOKS)).status).toBe(200)
    })

    it('warn of keys that nobody knows', async () => {
      const { status, body } = await submit(library('        isbn: { type: string, labl: ISBN }'))
      expect(status).toBe(201)
      expect(body.warnings).toEqual([expect.objectContaining({ message: expect.stringContaining('labl') })])
      expect(body.warnings[0].message).toContain('label')
    })

    it('are taken as JSON too', async () => {
      const resources = { Film: { object: { title: 'string' }, permissions: { list: ['*'] } } }
      const content = JSON.stringify({ domain: { name: 'cinema', version: '1', resources } })
      expect((await submit(content)).status).toBe(201)
      expect((await send('GET', '/api/v1/cinema/films')).status).toBe(200)
      const { body } = await send('GET', DOMAINS)
      expect(body.data.domains.map(({ name }: { name: string }) => name).sort()).toEqual([
        'cinema',
        'library',
      ])
    })

    it('are described to clients', async () => {
      const { status, body } = await server().request('GET', `${DOMAINS}/library/schema`)
      expect(status).toBe(200)
      expect(body.data.domain).toEqual({ name: 'library', version: '1.0.0' })
      expect(body.data.resources.Book).toMatchObject({
        collectionSegment: 'books',
        collectionPath: BOOKS,
        fields: { title: { type: 'string', required: true }, id: { type: 'uuid', primaryKey: true } },
      })
    })

    it('are given back as they were written', async () => {
      const content = library('        isbn: string # thirteen digits')
      await submit(content)
      const { body } = await server().request('GET', `${DOMAINS}/library/source`)
      expect(JSON.stringify(body)).toContain('# thirteen digits')
    })

    it('are rolled back with their schema', async () => {
      await submit(library('        isbn: string\n        shelf: string'))
      const [item] = (await send('GET', BOOKS)).body.data.items
      expect(item).toHaveProperty('shelf')
      const { status, body } = await send('POST', `${DOMAINS}/library/rollback`)
      expect([status, body.data.rolledBack.length]).toEqual([200, 1])
      expect((await send('GET', BOOKS)).body.data.items[0]).not.toHaveProperty('shelf')
    })
  })
}
