import { StoreCapability } from '@svc/store/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TestAnswer } from '../../kit/request.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES, type TestDatabase } from '../../kit/stores.ts'
import { startTestKernel, type TestAccount, type TestKernel } from '../../kit/test-kernel.ts'

/** Commits of others, such as those of the request log, come in between: they end. */
const PATIENCE = { timeout: 15_000 }
const OPEN = "{ list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }"
const DEFINITION = `
domain:
  name: press
  version: '1.0.0'
  resources:
    Author:
      object: { name: string }
      relationships:
        books: { type: hasMany, target: Book, foreignKey: authorId }
      permissions: ${OPEN}
    Book:
      object:
        title: string
        pages: { type: integer, default: 0 }
        margin: integer
        deletedAt: datetime
      features: { caching: true, cacheTtlSeconds: 60, softDelete: true }
      relationships:
        author: { type: belongsTo, target: Author }
        tags: { type: belongsToMany, target: Tag }
      permissions:
        { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'], fields: { margin: { read: [boss] } } }
    Tag:
      object: { name: string }
      permissions: ${OPEN}
    Note:
      object: { text: string, createdById: uuid }
      features: { caching: true }
      scopes: { mine: { filter: 'createdById = :currentUserId' } }
      permissions: { list: [owner], get: [owner], create: [authenticated], update: [owner] }
    Page:
      object: { name: string }
      relationships: { note: { type: belongsTo, target: Note } }
      permissions: ${OPEN}
    Mark:
      object: { name: string }
      features: { caching: true }
      relationships: { page: { type: belongsTo, target: Page } }
      permissions: ${OPEN}
    Memo:
      object: { text: string, createdById: uuid }
      features: { caching: true }
      permissions: { list: ['*'], get: ['*'], create: [authenticated], update: [owner] }
    Task:
      object: { due: date, late: { computed: 'due < today()' }, soon: { computed: "if(late, 'no', 'yes')" } }
      features: { caching: true }
      permissions: ${OPEN}
`
const BOOKS = '/api/v1/press/books'
const AUTHORS = '/api/v1/press/authors'
const TAGS = '/api/v1/press/tags'
const NOTES = '/api/v1/press/notes'
const MEMOS = '/api/v1/press/memos'
const MARKS = '/api/v1/press/marks'
const TASKS = '/api/v1/press/tasks'

for (const store of STORES) {
  describe(`kept answers on ${store.name}`, () => {
    let database: TestDatabase
    let server: TestKernel
    let boss: TestAccount

    beforeAll(async () => {
      database = await store.open()
      const open = () => Promise.resolve(database)
      server = await startTestKernel({ store: { ...store, open }, definition: DEFINITION })
      boss = await server.account('boss', ['boss'])
    })
    afterAll(() => server.stop())

    const send = (method: string, path: string, body?: unknown, token?: string, headers = {}) =>
      server.request(method, path, { headers, ...(token && { token }), ...(body !== undefined && { body }) })
    const make = async (path: string, body: object = {}, token?: string): Promise<string> =>
      (await send('POST', path, body, token)).body.data.id
    const data = async (path: string, token?: string) => (await send('GET', path, undefined, token)).body.data
    /** How many plans about records the store reads for a request. */
    const reads = async (request: () => Promise<unknown>) => {
      const kept = server.kernel.get(StoreCapability)
      const spies = [vi.spyOn(kept, 'select'), vi.spyOn(kept, 'count')]
      await request()
      const tables = spies.flatMap(({ mock }) => mock.calls.map(([{ table }]) => table.name))
      for (const spy of spies) spy.mockRestore()
      return tables.filter((name) => /^press_(?!_)/.test(name)).length
    }

    it('are given again without a look at the records', async () => {
      const author = await make(AUTHORS)
      const book = await make(BOOKS, { title: 'One', pages: 3, authorId: author })
      for (const path of [
        `${BOOKS}?include=author,tags&sort=title`,
        `${BOOKS}/${book}?include=author`,
        `${BOOKS}/count?filter[pages]=3`,
        `${BOOKS}/distinct/pages`,
        `${AUTHORS}/${author}/books?limit=2`,
      ]) {
        const first = await send('GET', path)
        expect([path, first.status]).toEqual([path, 200])
        // On PostgreSQL any commit, such as that of the request log, makes an answer one of the past.
        const again = async () => expect([path, await reads(() => send('GET', path))]).toEqual([path, 0])
        await vi.waitFor(again, PATIENCE)
        const second = await send('GET', path)
        expect(second.body).toEqual(first.body)
        expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
      }
      await vi.waitFor(async () => {
        await data(AUTHORS)
        expect(await reads(() => send('GET', AUTHORS))).toBe(1)
      }, PATIENCE)
    })

    it('answer what the client has with 304, and everybody else in full', async () => {
      const path = `${BOOKS}/${await make(BOOKS, { title: 'Tagged' })}`
      const tag = (await send('GET', path)).headers.get('etag')
      const again = await send('GET', path, undefined, undefined, { 'if-none-match': tag })
      expect([again.status, again.headers.get('etag'), again.body]).toEqual([304, tag, undefined])
      expect((await send('GET', path)).body.data.title).toBe('Tagged')
    })

    it('bring their warnings along, once, and know a strict reader from others', async () => {
      const warned = () => send('GET', `${BOOKS}?nonsense=1`)
      expect((await warned()).body.warnings).toHaveLength(1)
      expect((await warned()).body.warnings).toHaveLength(1)
      const strict = { prefer: 'handling=strict' }
      expect((await send('GET', `${BOOKS}?nonsense=1`, undefined, undefined, strict)).status).toBe(400)
    })

    it('are of the past after every write that they show', async () => {
      const author = await make(AUTHORS, { name: 'Ann' })
      const tag = await make(TAGS, { name: 'new' })
      const path = `${BOOKS}?include=author,tags&filter[title]=Fresh`
      const shown = async () =>
        (await data(path)).items.map((item: any) => [item.pages, item.author?.name, item.tags.length])
      expect(await shown()).toEqual([])
      const book = `${BOOKS}/${await make(BOOKS, { title: 'Fresh', pages: 1, authorId: author })}`
      expect(await shown()).toEqual([[1, 'Ann', 0]])
      await send('PATCH', book, { pages: 2 })
      expect(await shown()).toEqual([[2, 'Ann', 0]])
      await send('PATCH', `${AUTHORS}/${author}`, { name: 'Bea' })
      expect(await shown()).toEqual([[2, 'Bea', 0]])
      await send('POST', `${book}/tags`, { tagId: tag })
      expect(await shown()).toEqual([[2, 'Bea', 1]])
      await send('DELETE', `${TAGS}/${tag}`)
      expect(await shown()).toEqual([[2, 'Bea', 0]])
      await send('DELETE', book)
      expect(await shown()).toEqual([])
      await send('POST', `${book}/restore`)
      expect(await shown()).toEqual([[2, 'Bea', 0]])
      await send('PATCH', `${BOOKS}/bulk`, {
        ids: [book.slice(book.lastIndexOf('/') + 1)],
        data: { pages: 9 },
      })
      expect(await shown()).toEqual([[9, 'Bea', 0]])
    })

    it('never cross callers who see different things', async () => {
      const path = `${BOOKS}/${await make(BOOKS, { title: 'Secret', margin: 7 }, boss.token)}`
      expect(await data(path, boss.token)).toMatchObject({ margin: 7 })
      expect(await data(path)).not.toHaveProperty('margin')
      expect(await data(path, boss.token)).toMatchObject({ margin: 7 })
      const [ann, bob] = [await server.account('ann'), await server.account('bob')]
      const note = await make(NOTES, { text: 'mine' }, ann.token)
      for (const query of ['', '?scope=mine']) {
        expect((await data(`${NOTES}${query}`, ann.token)).items).toHaveLength(1)
        expect((await data(`${NOTES}${query}`, bob.token)).items).toHaveLength(0)
      }
      expect((await send('GET', `${NOTES}/${note}`, undefined, ann.token)).status).toBe(200)
      expect((await send('GET', `${NOTES}/${note}`, undefined, bob.token)).status).toBe(403)
      expect((await send('GET', `${NOTES}/${note}`)).status).toBe(401)
    })

    it('never cross callers of whom a query sees different things two relationships away', async () => {
      const [amy, ben] = [await server.account('amy'), await server.account('ben')]
      const pages = []
      for (const text of ['secret', 'other'])
        pages.push(await make('/api/v1/press/pages', { noteId: await make(NOTES, { text }, amy.token) }))
      for (const pageId of pages) await make(MARKS, { name: pageId, pageId })
      for (const [query, read] of [
        ['?filter[page.note.text]=secret', (found: TestAnswer['body']) => found.items.length],
        ['/count?filter[page.note.text]=secret', (found: TestAnswer['body']) => found.total],
        ['/distinct/name?filter[page.note.text]=secret', (found: TestAnswer['body']) => found.values.length],
      ] as const) {
        expect(read(await data(MARKS + query, amy.token))).toBe(1)
        expect(read(await data(MARKS + query, ben.token))).toBe(0)
      }
    })

    it('tell everybody what they may do themselves', async () => {
      const [one, two] = [await server.account('one'), await server.account('two')]
      const path = `${MEMOS}/${await make(MEMOS, {}, one.token)}?include=_permissions`
      const may = async ({ token }: TestAccount) => (await data(path, token))._permissions.operations
      expect(await may(one)).toContain('update')
      expect(await may(two)).not.toContain('update')
      expect(await may(one)).toContain('update')
    })

    it('heed a change of roles at once', async () => {
      const eve = await server.account('eve')
      const path = `${BOOKS}/${await make(BOOKS, { margin: 5 }, boss.token)}`
      const roles = `/api/v1/admin/users/${eve.id}/roles`
      expect(await data(path, eve.token)).not.toHaveProperty('margin')
      const given = await server.request('PUT', roles, { token: server.admin, body: { roles: ['boss'] } })
      expect(given.status).toBe(200)
      expect(await data(path, eve.token)).toHaveProperty('margin')
      await server.request('PUT', roles, { token: server.admin, body: { roles: [] } })
      expect(await data(path, eve.token)).not.toHaveProperty('margin')
    })

    it('are not kept where they change with time', async () => {
      const path = `${TASKS}/${await make(TASKS, { due: '2026-03-02' })}`
      expect((await data(path)).late).toBe(false)
      server.clock.advance(2 * 86_400_000)
      expect((await data(path)).late).toBe(true)
    })

    it('are not what the client has where they change with time, though no write does', async () => {
      const path = `${TASKS}/${await make(TASKS, { due: '2026-04-02' })}?fields=id,soon`
      const { headers } = await send('GET', path)
      const asked = () => send('GET', path, undefined, undefined, { 'if-none-match': headers.get('etag')! })
      expect((await asked()).status).toBe(304)
      server.clock.advance(60 * 86_400_000)
      expect(await asked()).toMatchObject({ status: 200, body: { data: { soon: 'no' } } })
    })

    it('are forgotten when their time is over', async () => {
      const path = `${BOOKS}/count`
      await vi.waitFor(async () => {
        await data(path)
        expect(await reads(() => send('GET', path))).toBe(0)
        server.clock.advance(60_000)
        expect(await reads(() => send('GET', path))).toBe(1)
      })
    })

    it('show every reader who comes after an answer what was written, on this server and another', async () => {
      const other = await startSecond(database, server.clock)
      const servers = [server, other]
      const books = await Promise.all([0, 1, 2].map((at) => make(BOOKS, { title: `Race ${at}`, pages: 0 })))
      const answered = books.map(() => 0)
      let isOver = false
      const write = async (at: number) => {
        for (let pages = 1; pages <= 25; pages += 1) {
          const from = servers[pages % 2]!
          const { status } = await from.request('PATCH', `${BOOKS}/${books[at]}`, { body: { pages } })
          expect(status).toBe(200)
          answered[at] = pages
        }
      }
      let compared = 0
      const read = async (from: Pick<TestKernel, 'request'>) => {
        while (!isOver) {
          const least = [...answered]
          const { body } = await from.request('GET', `${BOOKS}?filter[title][like]=Race&sort=title`)
          const seen: number[] = body.data.items.map(({ pages }: { pages: number }) => pages)
          for (const [at, pages] of seen.entries()) expect(pages).toBeGreaterThanOrEqual(least[at]!)
          compared += 1
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      const readers = [...servers, ...servers].map(read)
      await Promise.all(books.map((_, at) => write(at)))
      isOver = true
      await Promise.all(readers)
      await other.stop()
      expect(compared).toBeGreaterThan(20)
      expect(answered).toEqual([25, 25, 25])
    })
  })
}
