import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const PUBLIC = "permissions: { list: ['*'], get: ['*'], create: ['*'] }"
const DEFINITION = `
domain:
  name: library
  version: '1.0.0'
  resources:
    Author:
      object: { name: string }
      relationships: { books: { type: hasMany, target: Book, foreignKey: authorId } }
      ${PUBLIC}
    Book:
      object: { title: string }
      relationships:
        author: { type: belongsTo, target: Author }
        tags: { type: belongsToMany, target: Tag }
      ${PUBLIC}
    Tag:
      object: { name: string }
      ${PUBLIC}
`
const API = '/api/v1/library'

for (const store of STORES) {
  describe(`a list with an include on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })

    it('asks the store twice, however many records there are and whatever they bring along', async () => {
      const make = async (path: string, body: object): Promise<string> =>
        (await server().request('POST', `${API}/${path}`, { body })).body.data.id
      for (const name of ['Ann', 'Ben', 'Cid']) {
        const authorId = await make('authors', { name })
        for (let at = 0; at < 10; at += 1) await make('books', { title: `${name} ${at}`, authorId })
      }
      const select = vi.spyOn(server().kernel.get(StoreCapability), 'select')
      const queries = async (path: string) => {
        select.mockClear()
        const { status, body } = await server().request('GET', `${API}/${path}`)
        // The server looks after itself meanwhile, in tables of its own and of blocks.
        const asked = select.mock.calls.filter(([{ table }]) => /^library_(?!_)/.test(table.name))
        return [status, body.data.items.length, asked.length]
      }
      expect(await queries('books?limit=1')).toEqual([200, 1, 1])
      expect(await queries('books?limit=1&include=author')).toEqual([200, 1, 2])
      expect(await queries('books?limit=30&include=author')).toEqual([200, 30, 2])
      expect(await queries('books?limit=30&include=tags')).toEqual([200, 30, 2])
      expect(await queries('authors?include=books')).toEqual([200, 3, 2])
      expect(await queries('books?limit=30&include=author,tags')).toEqual([200, 30, 3])
    })

    it('answers the same whether records leave as text or as values', async () => {
      // What somebody may do with a record has to be worked out, and so its record is no text.
      const asValues = async (path: string) => {
        const { body } = await server().request('GET', `${API}/${path},_permissions`)
        return JSON.stringify(body.data, (key, value: unknown) =>
          key === '_permissions' ? undefined : value,
        )
      }
      const asText = async (path: string) => {
        const { body } = await server().request('GET', `${API}/${path}`)
        return JSON.stringify(body.data)
      }
      const { body } = await server().request('POST', `${API}/books`, { body: { title: 'By "nobody"' } })
      const paths = [
        'books?limit=31&include=author,tags',
        'books?limit=31&fields=title&include=author',
        'authors?include=books',
        `books/${body.data.id}?include=author,tags`,
      ]
      for (const path of paths) expect(await asText(path)).toBe(await asValues(path))
      expect(JSON.parse(await asText(paths[3]!))).toMatchObject({ author: null, tags: [] })
    })
  })
}
