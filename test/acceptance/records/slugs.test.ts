import { type Store, StoreCapability } from '@svc/store/contract'
import { describe, expect, it, vi } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const PRESS = `
domain:
  name: press
  version: '1'
  resources:
    Story:
      features: { softDelete: true, import: true }
      object:
        title: string
        slug: { type: slug, from: title, unique: true }
        short: { type: slug, from: title, unique: true, maxLength: 8 }
        deletedAt: datetime
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Note:
      features: { import: true }
      object: { title: string, slug: { type: slug, from: title, unique: true } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const API = '/api/v1/press'

for (const store of STORES) {
  describe(`slugs of equal texts on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: PRESS })
    const send = async (method: string, path: string, body?: unknown) =>
      (await server().request(method, `${API}/${path}`, body === undefined ? {} : { body })).body?.data
    const slugsOf = (items: readonly { slug: string }[]) => items.map(({ slug }) => slug)
    const many = (title: string, count: number) => Array.from({ length: count }, () => ({ title }))

    /** How often a work asks, inside of transactions, for slugs that are taken. */
    async function looks(work: () => Promise<unknown>): Promise<number> {
      let count = 0
      const one: Store = server().kernel.get(StoreCapability)
      const transaction = one.transaction.bind(one)
      const spy = vi.spyOn(one, 'transaction').mockImplementation((inside, options) =>
        transaction((tx) => {
          const select = tx.select.bind(tx)
          vi.spyOn(tx, 'select').mockImplementation((plan) => {
            if (plan.table.name === 'press_note' && plan.columns[0]?.name === 'slug') count += 1
            return select(plan)
          })
          return inside(tx)
        }, options),
      )
      await work().finally(() => spy.mockRestore())
      return count
    }

    it('are numbered from 2 on, each of many in one look (3.11)', async () => {
      const wanted = ['many', ...Array.from({ length: 299 }, (_, at) => `many-${at + 2}`)]
      let made: { items: readonly { slug: string }[] } = { items: [] }
      const asked = await looks(async () => {
        made = await send('POST', 'notes/bulk', { items: many('Many', 300) })
      })
      expect(slugsOf(made.items)).toEqual(wanted)
      expect(asked).toBe(300)
      const later = await looks(async () => {
        made = await send('POST', 'notes/import', many('many', 2))
      })
      expect(slugsOf(made.items)).toEqual(['many-301', 'many-302'])
      expect(later).toBeLessThanOrEqual(4)
      let single = { slug: '' }
      const alone = await looks(async () => {
        single = await send('POST', 'notes', { title: 'MANY' })
      })
      expect(single.slug).toBe('many-303')
      expect(alone).toBeLessThanOrEqual(3)
    })

    it('take the number of a row that failed, and of a record that is deleted (3.11)', async () => {
      const { id } = await send('POST', 'notes', { title: 'First' })
      const items = [{ title: 'first' }, { id, title: 'first' }, { title: 'first' }]
      expect(slugsOf((await send('POST', 'notes/bulk', { items })).items)).toEqual(['first-2', 'first-3'])
      const made = await send('POST', 'stories/bulk', { items: many('Gap', 4) })
      await send('DELETE', `stories/${made.items[1].id}`)
      expect((await send('POST', 'stories', { title: 'Gap' })).slug).toBe('gap-2')
    })

    it('are cut between words and characters where the number needs the room (3.11)', async () => {
      const { items } = await send('POST', 'stories/bulk', { items: many('ab-cd 𠮷𠮷𠮷', 12) })
      const short = items.map((one: { short: string }) => one.short)
      expect(short.slice(0, 2)).toEqual(['ab-cd-𠮷𠮷', 'ab-cd-2'])
      expect(short.at(-1)).toBe('ab-cd-12')
    })
  })
}
