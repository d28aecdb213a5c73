import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'
import { at, CLINIC } from './clinic.ts'

for (const store of STORES) {
  describe(`queries about neighbours on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: CLINIC })
    let vet: TestAccount
    let ann: TestAccount

    const get = (path: string, who = vet, headers = {}) =>
      server().request('GET', path, { token: who.token, headers })
    const make = async (plural: string, body: object): Promise<string> =>
      (await server().request('POST', at(plural), { token: vet.token, body })).body.data.id
    const titles = async (query: string, who = vet): Promise<readonly string[]> => {
      const { body } = await get(`${at('visits')}?${query}`, who)
      expect(body.warnings ?? [], query).toEqual([])
      return body.data.items.map(({ title }: { title: string }) => title)
    }

    beforeAll(async () => {
      vet = await server().account('vet', ['vet'])
      ann = await server().account('ann', [])
      const home = await make('households', { name: 'A', city: 'Aix', userId: ann.id })
      const other = await make('households', { name: 'B', city: 'Bonn' })
      const rex = await make('animals', { name: 'rex', chip: 'c1', weight: 3, householdId: home })
      const tom = await make('animals', { name: 'Tom', chip: 'c2', weight: 2, householdId: other })
      const stray = await make('animals', { name: 'stray', weight: 1 })
      const gone = await make('animals', { name: 'gone', weight: 9, householdId: home })
      for (const [title, animalId] of [
        ['a', rex],
        ['b', tom],
        ['c', stray],
        ['d', gone],
        ['e', null],
        ['f', rex],
      ] as const) {
        const visit = await make('visits', { title, animalId })
        if (title === 'a' || title === 'b')
          await make('lines', { visitId: visit, sku: `X${title}`, qty: 1, cost: 5 })
        if (title === 'a') await make('lines', { visitId: visit, sku: 'Y', qty: 20 })
      }
      await server().request('DELETE', `${at('animals')}/${gone}`, { token: vet.token })
    })

    it('[9.5] filter by what a record belongs to', async () => {
      expect(await titles('filter[animal.name]=rex&sort=title')).toEqual(['a', 'f'])
      expect(await titles('filter[animal.name][like]=R&sort=title')).toEqual(['a', 'c', 'f'])
      expect(await titles('filter[animal.household.city]=Bonn')).toEqual(['b'])
      expect(await titles('filter[animal.weight][gte]=2&sort=title')).toEqual(['a', 'b', 'f'])
      expect(await titles('filter[animal.name][in]=rex,stray&sort=title')).toEqual(['a', 'c', 'f'])
      expect(await titles('filter[animal.name][ne]=rex&sort=title')).toEqual(['b', 'c', 'd', 'e'])
      expect(await titles('filter[animal.household.city][null]=true&sort=title')).toEqual(['c', 'd', 'e'])
      expect(await titles('filter[animal.household.city][null]=false&sort=title')).toEqual(['a', 'b', 'f'])
      expect((await get(`${at('visits')}/count?filter[animal.name]=rex`)).body.data.total).toBe(2)
    })

    it('[9.5] filter by what some record of a list has', async () => {
      expect(await titles('filter[lines.sku]=Y')).toEqual(['a'])
      expect(await titles('filter[lines.sku][like]=X&sort=title')).toEqual(['a', 'b'])
      expect(await titles('filter[lines.qty][gt]=10')).toEqual(['a'])
    })

    it('[9.5] sort by what a record belongs to, page by page', async () => {
      const up = ['d', 'e', 'b', 'a', 'f', 'c']
      expect(await titles('sort=animal.name')).toEqual(up)
      expect(await titles('sort=-animal.name,title')).toEqual(['c', 'a', 'f', 'b', 'd', 'e'])
      expect((await titles('sort=animal.household.city')).slice(-3)).toEqual(['a', 'f', 'b'])
      expect((await titles('sort=animal.weight')).slice(2)).toEqual(['c', 'b', 'a', 'f'])
      for (const sort of [
        'animal.name',
        '-animal.name',
        'animal.weight',
        '-animal.household.city',
        '-animal.alive',
      ]) {
        const whole = await titles(`sort=${sort}`)
        const walked: string[] = []
        for (let cursor: string | null = ''; cursor !== null;) {
          const { body } = await get(`${at('visits')}?sort=${sort}&limit=2&cursor=${cursor}`)
          walked.push(...body.data.items.map(({ title }: { title: string }) => title))
          cursor = body.data.nextCursor
        }
        expect(walked, sort).toEqual(whole)
      }
      expect(await titles('sort=animal.name&limit=2&offset=2')).toEqual(['b', 'a'])
    })

    it('[9.5] show some fields of what is included', async () => {
      const { body } = await get(
        `${at('visits')}?fields=title,animal.name,vet.username&include=animal,vet&filter[title]=a`,
      )
      const [item] = body.data.items
      expect(item).toEqual({
        id: expect.any(String),
        title: 'a',
        animal: { id: expect.any(String), name: 'rex' },
        vet: { id: vet.id, username: 'vet' },
      })
      const one = await get(`${at('visits')}/${item.id}?fields=lines.sku&include=lines`)
      expect(one.body.data).toEqual({
        id: item.id,
        lines: expect.arrayContaining([{ id: expect.any(String), sku: 'Xa' }]),
      })
    })

    it('[9.5] know nothing of what the caller may not list or read', async () => {
      const path = at('visits')
      const ignored = async (query: string, who = ann) => {
        const { status, body } = await get(`${path}?${query}`, who)
        const strict = await get(`${path}?${query}`, who, { Prefer: 'handling=strict' })
        expect([status, strict.status, strict.body.error_code]).toEqual([200, 400, 'INVALID_QUERY'])
        return (body.warnings as readonly { message: string }[]).map(({ message }) => message)
      }
      for (const name of [
        'animal.chip',
        'animal.nothing',
        'labels.text',
        'lines.cost',
        'animal.household.x.y',
      ]) {
        expect(await ignored(`filter[${name}]=1`)).toEqual([
          `'${name}' in 'filter[${name}]' is not known here: it was ignored`,
        ])
        expect(await ignored(`sort=${name}`)).toEqual([
          `'${name}' in 'sort' is not known here: it was ignored`,
        ])
      }
      expect(await ignored('sort=lines.sku', vet)).toHaveLength(1)
      expect(await ignored('fields=title,animal.name', vet)).toHaveLength(1)
      expect(await titles('filter[animal.chip]=c1&sort=title')).toEqual(['a', 'f'])
      expect(await titles('filter[animal.household.city]=Aix&sort=title', ann)).toEqual(['a', 'f'])
    })
  })
}
