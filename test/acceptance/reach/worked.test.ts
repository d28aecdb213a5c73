import { DomainsCapability } from '@svc/domain/contract'
import { HttpServerCapability } from '@svc/rest/contract'
import { type Row, StoreCapability, type Value } from '@svc/store/contract'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createRandom } from '../../kit/random.ts'
import { STORES } from '../../kit/stores.ts'
import { type TestAccount, useTestKernel } from '../../kit/test-kernel.ts'

/** Formulas that a store works out, and `by`, which takes the service: whoever asks for it too gets all of them from there. */
const DEFINITION = `
domain:
  name: yard
  version: '1.0.0'
  resources:
    House:
      object: { name: string, userId: uuid }
      permissions: { list: "hasRole('vet') or userId == user.id", get: "hasRole('vet') or userId == user.id" }
    Animal:
      features: { softDelete: true }
      object:
        name: string
        weight: decimal
        born: date
        seenAt: datetime
        fedAt: time
        tame: boolean
        chip: string
        pin: string
        deletedAt: datetime
      relationships: { house: { type: belongsTo, target: House } }
      permissions:
        list: "hasRole('vet') or house.userId == user.id"
        get: "hasRole('vet') or house.userId == user.id"
        fields: { chip: { read: [vet] }, pin: { read: [vet], mask: true } }
    Visit:
      features: { export: true }
      object: { title: string, note: string, amount: decimal, open: boolean }
      relationships:
        animal: { type: belongsTo, target: Animal }
        keeper: { type: belongsTo, target: User }
        before: { type: belongsTo, target: Visit }
        lines: { type: hasMany, target: Line, foreignKey: visitId, orderBy: { rank: asc } }
        labels: { type: belongsToMany, target: Label }
      computed:
        total: { type: money, expression: 'sum(lines, qty * price)' }
        exact: sum(lines.price)
        whole: sum(lines.qty)
        mean: avg(lines.price)
        least: min(lines.price)
        count: count(lines)
        late: max(lines.dueOn)
        done: any(lines, done)
        allDone: all(lines, done)
        sku: first(lines.sku)
        small: { type: integer, expression: 'sum(lines, qty * price)' }
        animalName: animal.name
        weight: animal.weight
        minus: animal.weight * -1
        born: animal.born
        seenAt: animal.seenAt
        fedAt: animal.fedAt
        tame: animal.tame
        houseName: animal.house.name
        houseId: animal.houseId
        earlier: before.title
        chained: before.animal.house.name
        labelled: count(labels)
        label: last(labels.text)
        mine: animal.house.userId == user.id
        words: "coalesce(animal.name, 'none') + '!'"
        chip: animal.chip
        pin: animal.pin
        cost: sum(lines.cost)
        by: keeper.username
      permissions: { list: [authenticated], get: [authenticated], fields: { note: { read: [vet], mask: true } } }
    Line:
      object: { sku: string, qty: integer, price: decimal, rank: integer, done: boolean, dueOn: date, cost: decimal, userId: uuid }
      relationships: { visit: { type: belongsTo, target: Visit } }
      permissions:
        list: "hasRole('vet') or userId == user.id"
        get: [authenticated]
        fields: { cost: { read: [vet] } }
    Label:
      object: { text: string, userId: uuid }
      permissions: { list: "hasRole('vet') or userId == user.id", get: [vet] }
`
const WORKED =
  'total exact whole mean least count late done allDone sku small animalName weight minus born seenAt fedAt tame houseName houseId earlier chained labelled label mine words'.split(
    ' ',
  )
const NUMBERS = [null, 0, -0, 0.1, 0.2, 0.3, -1.5, 1e21, 1e-7, 123456789.123, 5e-324, 1e300, 2 ** 53, 1 / 3]
const INTEGERS = [null, 0, 1, 7, Number.MAX_SAFE_INTEGER, -3]
const TEXTS = [null, '', 'a', 'Ä"\\', 'line\nbreak', '😀\u2028', "o'k", '\u0001']

for (const store of STORES) {
  describe(`formulas that the ${store.name} store works out`, () => {
    const server = useTestKernel({ store, definition: DEFINITION })
    const callers: Record<string, TestAccount> = {}
    const id = (kind: number, at: number) =>
      `00000000-0000-7000-8${kind}00-${at.toString(16).padStart(12, '0')}`

    beforeAll(async () => {
      for (const [name, roles] of [
        ['vet', ['vet']],
        ['ann', []],
        ['bob', []],
      ] as const)
        callers[name] = await server().account(name, roles)
      const { int, chance, pick } = createRandom(11)
      const key = (kind: number, count: number): Value => (chance(0.1) ? null : id(kind, int(count)))
      const users: readonly Value[] = [null, callers['ann']!.id, callers['bob']!.id]
      const flags = [null, true, false]
      const days = [null, '2026-01-31', '2024-02-29', '0001-01-01', '9999-12-31']
      const { kernel } = server()
      const { resources } = kernel.get(DomainsCapability).model('yard')!
      const fill = async (name: string, count: number, row: (i: number) => Row) => {
        const { table } = resources.get(name)!
        const rows = Array.from({ length: count }, (_, i) => row(i))
        await kernel
          .get(StoreCapability)
          .transaction((tx) => tx.insertRows({ table, rows }).then(() => undefined))
      }
      await fill('House', 6, (i) => ({ id: id(1, i), name: pick(TEXTS), userId: pick(users) }))
      await fill('Animal', 20, (i) => ({
        id: id(2, i),
        name: pick(TEXTS),
        weight: pick(NUMBERS),
        born: pick(days),
        seenAt: pick([null, '2026-03-01T12:00:00.000Z', '1969-12-31T23:59:59.999Z']),
        fedAt: pick([null, '08:00:00', '23:59:59']),
        tame: pick(flags),
        chip: pick(TEXTS),
        pin: pick(TEXTS),
        deletedAt: chance(0.2) ? '2026-01-01T00:00:00.000Z' : null,
        houseId: key(1, 6),
      }))
      await fill('Visit', 70, (i) => ({
        id: id(3, i),
        title: pick(TEXTS),
        note: pick(TEXTS),
        amount: pick(NUMBERS),
        open: pick(flags),
        animalId: key(2, 20),
        keeperId: pick(users),
        beforeId: i === 0 ? null : key(3, i),
      }))
      await fill('Line', 200, (i) => ({
        id: id(5, i),
        sku: pick(TEXTS),
        qty: pick(INTEGERS),
        price: pick(NUMBERS),
        rank: pick(INTEGERS),
        done: pick(flags),
        dueOn: pick(days),
        cost: pick(NUMBERS),
        userId: pick(users),
        visitId: key(3, 70),
      }))
      await fill('Label', 8, (i) => ({ id: id(6, i), text: pick(TEXTS), userId: pick(users) }))
      for (let i = 0; i < 40; i += 1)
        await server().request('POST', `${path}/${id(3, i % 17)}/labels`, {
          token: server().admin,
          body: { labelId: id(6, int(8)) },
        })
    }, 120_000)

    const path = '/api/v1/yard/visits'
    const raw = async (address: string, who: string, headers = {}) => {
      const http = server().kernel.get(HttpServerCapability)
      const request = new Request(new URL(address, http.url()), {
        headers: { authorization: `Bearer ${callers[who]!.token}`, ...headers },
      })
      const answer = await http.fetch(request)
      return { status: answer.status, tag: answer.headers.get('etag'), text: await answer.text() }
    }
    /** What `work` reads of the resources of the domain, in statements; what runs by itself looks at tables of its own. */
    const statements = async (work: () => Promise<unknown>): Promise<number> => {
      const select = vi.spyOn(server().kernel.get(StoreCapability), 'select')
      await work()
      const asked = select.mock.calls.filter(([{ table }]) => /^yard_[^_]/.test(table.name))
      select.mockRestore()
      return asked.length
    }
    /** An answer without `by`, which stood last. */
    const without = (text: string): string => text.replaceAll(/,"by":(null|"[a-z]+")(?=[,}])/g, '')
    const plain = ['title', 'amount', 'open']

    for (const who of ['vet', 'ann', 'bob'])
      for (const fields of [
        [...plain, ...WORKED],
        [...WORKED, ...plain],
        ['title', 'note', ...WORKED],
      ])
        for (const more of [
          'limit=50',
          'limit=7&offset=3&sort=-amount',
          'cursor=&limit=9',
          'page=2&limit=20',
        ])
          it(`[9.4] leave as those of the service do, to ${who}: ${fields[0]} to ${fields[1]}, ${more}`, async () => {
            const address = `${path}?${more}&fields=${fields.join()}`
            const [one, other] = [await raw(address, who), await raw(`${address},by`, who)]
            expect([one.status, other.status]).toEqual([200, 200])
            expect(one.text).toBe(without(other.text))
            expect(JSON.parse(one.text).data.items.length).toBeGreaterThan(5)
            expect(await statements(() => raw(address, who))).toBe(1)
            expect(await statements(() => raw(`${address},by`, who))).toBeGreaterThan(3)
          })

    it('[9.4] are something else to callers of other rights, and null where they may not read', async () => {
      const seen = async (who: string) =>
        JSON.parse((await raw(`${path}?fields=${WORKED.join()}`, who)).text).data.items
      const [vet, ann, bob] = [await seen('vet'), await seen('ann'), await seen('bob')]
      for (const field of ['exact', 'count', 'animalName', 'houseName', 'mine'])
        expect(
          new Set([vet, ann, bob].map((items) => JSON.stringify(items.map((item: Row) => item[field])))).size,
          field,
        ).toBe(3)
      const hidden = JSON.parse((await raw(`${path}?fields=chip,pin,cost`, 'ann')).text).data.items
      expect(hidden.every(({ chip, pin, cost }: Row) => chip === null && pin === null && cost === 0)).toBe(
        true,
      )
    })

    it('[9.4] leave with what a list includes, with permissions, and in one record, as ever', async () => {
      for (const who of ['vet', 'ann'])
        for (const include of ['', '&include=lines,animal', '&include=_permissions']) {
          const fields = `fields=${[...plain, ...WORKED].join()}`
          const list = await raw(`${path}?${fields}${include}`, who)
          expect(list.text).toBe(without((await raw(`${path}?${fields},by${include}`, who)).text))
          for (const at of [0, 1, 2, 3, 4]) {
            const address = `${path}/${id(3, at)}?${fields}`
            const one = await raw(`${address}${include}`, who)
            expect(one.status).toBe(200)
            expect(one.text).toBe(without((await raw(`${address},by${include}`, who)).text))
            const again = await raw(`${address}${include}`, who, { 'if-none-match': one.tag ?? '' })
            expect([again.status, again.text]).toEqual([304, ''])
          }
        }
    })

    it('[9.4] change the tag of one record with what they are worked out from', async () => {
      const { kernel } = server()
      const { table } = kernel.get(DomainsCapability).model('yard')!.resources.get('Line')!
      const address = `${path}/${id(3, 0)}?fields=title,count`
      const before = await raw(address, 'vet')
      await kernel
        .get(StoreCapability)
        .transaction((tx) =>
          tx
            .insertRows({ table, rows: [{ id: id(5, 999), visitId: id(3, 0), qty: 1, price: 1 }] })
            .then(() => undefined),
        )
      const after = await raw(address, 'vet', { 'if-none-match': before.tag ?? '' })
      expect(after.status).toBe(200)
      expect(after.tag).not.toBe(before.tag)
      expect(JSON.parse(after.text).data.count).toBe(JSON.parse(before.text).data.count + 1)
    })
  })
}
