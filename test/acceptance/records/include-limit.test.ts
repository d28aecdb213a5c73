import { type Column, StoreCapability, type Table } from '@svc/store/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const OPEN = "permissions: { list: ['*'], get: ['*'], create: ['*'] }"
const LIBRARY = `
domain:
  name: library
  version: '1'
  resources:
    Shelf:
      object: { id: { type: integer, primaryKey: true } }
      relationships:
        books: { type: hasMany, target: Book, foreignKey: shelfId }
        kept: { type: belongsToMany, target: Book, through: Kept, foreignKey: shelfId, otherKey: bookId }
      ${OPEN}
    Book:
      object: { id: { type: integer, primaryKey: true } }
      relationships: { shelf: { type: belongsTo, target: Shelf, foreignKey: shelfId } }
      ${OPEN}
`
const LIMIT = 10_000

const id: Column = { name: 'id', kind: 'integer', nullable: false }
const shelfId: Column = { ...id, name: 'shelfId' }
const bookId: Column = { ...id, name: 'bookId' }
const table = (name: string, columns: readonly Column[]): Table => ({
  name,
  columns,
  primaryKey: columns,
  indexes: [],
  foreignKeys: [],
})

for (const store of STORES) {
  describe(`an include of many records on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: LIBRARY })

    const fill = (into: Table, rows: readonly Readonly<Record<string, number>>[]) =>
      server()
        .kernel.get(StoreCapability)
        .transaction((tx) => tx.insertRows({ table: into, rows }))
    const get = async (path: string) => (await server().request('GET', `/api/v1/library/${path}`)).body

    beforeAll(async () => {
      for (const key of [1, 2])
        await server().request('POST', '/api/v1/library/shelves', { body: { id: key } })
      const books = Array.from({ length: LIMIT }, (_, at) => ({ id: at + 1, shelfId: 1 }))
      await fill(table('library_book', [id, shelfId]), books)
      await fill(
        table('library_kept', [shelfId, bookId]),
        books.map((book) => ({ shelfId: 1, bookId: book.id })),
      )
    })

    it.each(['books', 'kept'])('brings 10,000 of %s without a word (4.4)', async (name) => {
      const { data, warnings } = await get(`shelves/1?include=${name}`)
      expect([data[name].length, warnings]).toEqual([LIMIT, undefined])
    })

    it('is cut off beyond 10,000 records and warned of, in a record and in a list (4.4)', async () => {
      await fill(table('library_book', [id, shelfId]), [{ id: LIMIT + 1, shelfId: 1 }])
      const links = [1, LIMIT + 1].map((key) => ({ shelfId: 2, bookId: key }))
      await fill(table('library_kept', [shelfId, bookId]), links)
      const warned = (name: string) => ({
        rule: 'incomplete',
        severity: 'warning',
        message: expect.stringContaining(`'${name}' in 'include' holds more than 10000 records`),
      })
      const one = await get('shelves/1?include=books')
      expect(one.data.books).toHaveLength(LIMIT)
      expect(one.warnings).toMatchObject([warned('books')])
      const list = await get('shelves?include=kept,books')
      expect(list.warnings).toMatchObject([warned('kept'), warned('books')])
      const brought = list.data.items.flatMap(({ kept }: { kept: readonly unknown[] }) => kept)
      expect(brought).toHaveLength(LIMIT)
      expect((await get('shelves/2?include=kept')).warnings).toBeUndefined()
    })
  })
}
