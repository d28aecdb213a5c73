import { DomainsCapability } from '@svc/domain/contract'
import { type Row, StoreCapability } from '@svc/store/contract'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

/** With `REACH_ROWS=100000` it prints figures: processor time of lists, and of the same ones that reach nothing. */
const ROWS = size('REACH_ROWS', { smoke: 400, whole: 2000 })
const FIGURES = process.env['REACH_FIGURES'] !== undefined

const PUBLIC = "permissions: { list: ['*'], get: ['*'], create: ['*'] }"
const DEFINITION = `
domain:
  name: farm
  version: '1.0.0'
  resources:
    Household:
      object: { name: string, userId: uuid }
      indexes: [{ fields: [userId] }]
      ${PUBLIC}
    Animal:
      object: { name: string }
      relationships: { household: { type: belongsTo, target: Household } }
      ${PUBLIC}
    Visit:
      object: { title: string, createdAt: datetime }
      relationships:
        animal: { type: belongsTo, target: Animal }
        lines: { type: hasMany, target: Line, foreignKey: visitId }
      computed: { total: 'sum(lines, qty * price)', of: animal.name }
      permissions: { list: animal.household.userId == user.id, get: animal.household.userId == user.id }
    Copied:
      object: { title: string, userId: uuid, createdAt: datetime }
      indexes: [{ fields: [userId] }]
      computed: { total: "length(title) * 2" }
      permissions: { list: userId == user.id, get: userId == user.id }
    Line:
      object: { qty: integer, price: money, visitId: uuid }
      ${PUBLIC}
`
const API = '/api/v1/farm'
/** Of so many households each has as many visits. */
const HOUSEHOLDS = Math.max(4, Math.round(ROWS / 250))

for (const store of STORES) {
  describe(`what reaching costs on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    let ann: TestAccount
    let visit = ''

    const id = (kind: number, at: number) =>
      `00000000-0000-7000-8${kind}00-${at.toString(16).padStart(12, '0')}`
    const at = (i: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + i * 1000).toISOString()

    beforeAll(async () => {
      ann = await server().account('ann', [])
      const { kernel } = server()
      const { resources } = kernel.get(DomainsCapability).model('farm')!
      const fill = async (name: string, count: number, row: (i: number) => Row) => {
        const { table } = resources.get(name)!
        for (let from = 0; from < count; from += 5000) {
          const rows = Array.from({ length: Math.min(5000, count - from) }, (_, i) => row(from + i))
          await kernel
            .get(StoreCapability)
            .transaction((tx) => tx.insertRows({ table, rows }).then(() => undefined))
        }
      }
      const owner = (i: number) => (i % HOUSEHOLDS === 0 ? ann.id : id(9, i % HOUSEHOLDS))
      await fill('Household', HOUSEHOLDS, (i) => ({ id: id(1, i), name: `h${i}`, userId: owner(i) }))
      await fill('Animal', HOUSEHOLDS * 4, (i) => ({
        id: id(2, i),
        name: `a${i}`,
        householdId: id(1, i % HOUSEHOLDS),
      }))
      await fill('Visit', ROWS, (i) => ({
        id: id(3, i),
        title: `v${i}`,
        createdAt: at(i),
        animalId: id(2, i % (HOUSEHOLDS * 4)),
      }))
      await fill('Copied', ROWS, (i) => ({
        id: id(4, i),
        title: `v${i}`,
        createdAt: at(i),
        userId: owner(i),
      }))
      await fill('Line', ROWS * 2, (i) => ({
        id: id(5, i),
        qty: (i % 5) + 1,
        price: 1.25,
        visitId: id(3, i >> 1),
      }))
      visit = id(3, 0)
      expect((await list('visits?fields=title,total&limit=1')).body.data.items[0].total).toBeGreaterThan(0)
    }, 600_000)

    const list = (path: string) => server().request('GET', `${API}/${path}`, { token: ann.token })

    it('[9.4] is no statement for a permission of a list, and none for a formula that the store works out', async () => {
      const store = server().kernel.get(StoreCapability)
      const select = vi.spyOn(store, 'select')
      // What is kept beside the records is looked at now and then, whoever asks for a list meanwhile.
      const { resources } = server().kernel.get(DomainsCapability).model('farm')!
      const tables = new Set([...resources.values()].map(({ table }) => table.name))
      const queries = async (path: string) => {
        select.mockClear()
        const { status, body } = await list(path)
        const asked = select.mock.calls.filter(([{ table }]) => tables.has(table.name))
        return [status, body.data.items?.length ?? 1, asked.length]
      }
      const shown = Math.min(50, ROWS / HOUSEHOLDS)
      expect(await queries('visits?fields=title&limit=1')).toEqual([200, 1, 1])
      expect(await queries('visits?fields=title')).toEqual([200, shown, 1])
      expect(await queries('visits?fields=title,total')).toEqual([200, shown, 1])
      expect(await queries('visits?fields=title,total,of')).toEqual([200, shown, 1])
      expect(await queries('copieds')).toEqual([200, shown, 1])
      expect(await queries(`visits/${visit}?fields=title`)).toEqual([200, 1, 3])
      select.mockRestore()
    })

    const tell = (...facts: readonly unknown[]) =>
      void (FIGURES && process.stdout.write(`${facts.join(' ')}\n`))

    it('[9.4] is told where somebody asks for figures', async () => {
      const paths = ['visits', 'copieds'].flatMap((plural) =>
        ['title', 'title,total'].map((fields) => `${plural}?fields=${fields}&offset=0`),
      )
      const costs = paths.map(() => ({ processor: 0, wall: 0 }))
      // All in turn, again and again: what is told last is no better off for what the others have warmed up.
      const [rounds, times] = FIGURES ? [12, 50] : [1, 1]
      for (let round = 0; round < rounds; round += 1)
        for (const [at, path] of paths.entries()) {
          const [cpu, wall] = [process.cpuUsage(), performance.now()]
          for (let i = 0; i < times; i += 1) await list(path)
          const { user, system } = process.cpuUsage(cpu)
          if (round < 2 && rounds > 1) continue
          costs[at]!.processor += (user + system) / 1000 / times / (rounds - 2)
          costs[at]!.wall += (performance.now() - wall) / times / (rounds - 2)
        }
      for (const [at, { processor, wall }] of costs.entries())
        tell(store.name, paths[at], `${processor.toFixed(2)} ms of processor`, `${wall.toFixed(2)} ms`)
      const [reaching = 0, summed = 0, copied = 0, worked = 0] = costs.map(({ processor }) => processor)
      tell(
        store.name,
        `permission: ${(reaching / copied).toFixed(2)}, sum: ${(summed / reaching).toFixed(2)} (over one that is worked out: ${(summed / worked).toFixed(2)})`,
      )
    }, 600_000)
  })
}
