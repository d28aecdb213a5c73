import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../kit/random.ts'
import { size } from '../../kit/size.ts'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'
import {
  drawFormula,
  drawWorld,
  goesRound,
  readsOf,
  renamed,
  type Sent,
  type Sheet,
  workedOut,
  type World,
  written,
  writtenWorld,
} from './drawn-sheets.ts'

const EDITS = size('SHEET_EDITS', { smoke: 120, whole: 10_000 })
const SEED = size('SHEET_SEED', { smoke: 1, whole: 1 })
/** So many edits one domain of sheets goes through. */
const EACH = 60
const PATIENCE_MS = 60_000 + EDITS * 300

const KEYS = ['k1', 'k2', 'k3', 'k4', 'k5']
const TEAMS = ['red', 'blue', null]

for (const store of STORES)
  describe(`drawn sheets on ${store.name}`, () => {
    const server = useTestKernel({ store })

    it(
      '[11.7] [11.8] incremental recomputation equals working everything out anew, and no edit leaves a circle',
      async () => {
        const random = createRandom(SEED)
        for (let done = 0, at = 0; done < EDITS; done += EACH, at += 1) {
          const world = drawWorld(random)
          const name = `drawn${at}`
          await server().submit(writtenWorld(name, world))
          const edits = new Edits(random, world, (method, path, body) =>
            server().request(method, `/api/v1/${name}/${path}`, {
              token: server().admin,
              ...(body !== undefined && { body }),
            }),
          )
          for (let edit = 0; edit < Math.min(EACH, EDITS - done); edit += 1) {
            const what = await edits.one()
            await expectWorld(edits, world, `seed ${SEED}, sheet ${at}, edit ${edit}: ${what}`)
          }
        }
      },
      PATIENCE_MS,
    )
  })

const FIXED = `
domain:
  name: fixed
  version: '1'
  resources:
    Line:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { order: string, quantity: integer, price: integer }
      computed: { net: { type: integer, expression: quantity * price } }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
    Order:
      mode: sheet
      computedFields: { crossRecord: true, reactive: true }
      object: { number: { type: string, primaryKey: true }, discount: integer }
      computed:
        sum: { type: integer, expression: "aggregate('Line', 'sum', 'net', 'order == $record.number')" }
        due: { type: integer, expression: sum - discount }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`

for (const store of STORES)
  describe(`a formula over an aggregate over a formula on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: FIXED })

    it('[11.7] follows each write at once', async () => {
      const send = async (method: string, path: string, body?: unknown) => {
        const answer = await server().request(method, `/api/v1/fixed/${path}`, {
          token: server().admin,
          ...(body !== undefined && { body }),
        })
        return answer.body?.data
      }
      const due = async () => (await send('GET', 'orders/A')).due
      await send('POST', 'orders', { number: 'A', discount: 5 })
      expect(await due()).toBe(-5)
      const { id } = await send('POST', 'lines', { order: 'A', quantity: 2, price: 10 })
      await send('POST', 'lines', { order: 'A', quantity: 1, price: 30 })
      expect(await due()).toBe(45)
      await send('PATCH', `lines/${id}`, { price: 20 })
      expect(await due()).toBe(65)
      await send('PATCH', `lines/${id}`, { order: 'B' })
      expect(await due()).toBe(25)
      await send('POST', 'orders', { number: 'B', discount: 1 })
      await send('PATCH', `lines/${id}`, { order: 'A', quantity: 3 })
      expect([await due(), (await send('GET', 'orders/B')).due]).toEqual([85, -1])
      await send('DELETE', `lines/${id}`)
      expect(await due()).toBe(25)
    })
  })

/** Holds every value of every record against what it is when everything is worked out anew. */
async function expectWorld(edits: Edits, world: World, after: string): Promise<void> {
  const valueOf = workedOut(world)
  for (const sheet of world.values()) {
    const { body } = await edits.send('GET', `${edits.pathOf(sheet)}?limit=100`)
    const seen = Object.fromEntries(
      body.data.items.map((one: any) => [
        one.key,
        Object.fromEntries([...sheet.numbers, ...sheet.formulas.keys()].map((name) => [name, one[name]])),
      ]),
    )
    const wanted = Object.fromEntries(
      [...sheet.records.values()]
        .filter(({ isDeleted }) => !isDeleted)
        .map(({ key }) => [
          key,
          Object.fromEntries(
            [...sheet.numbers, ...sheet.formulas.keys()].map((name) => [
              name,
              valueOf(sheet.name, key, name),
            ]),
          ),
        ]),
    )
    expect(seen, `${sheet.name} after ${after}\n${describeWorld(world)}`).toEqual(wanted)
  }
}

const describeWorld = (world: World): string =>
  [...world.values()]
    .flatMap((sheet) => [...sheet.formulas].map(([name, one]) => `${sheet.name}.${name} = ${written(one)}`))
    .join('\n')

type Send = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: any }>

/** Edits that are drawn, of the server and of what is known of it. */
class Edits {
  readonly #random: Random
  readonly #world: World
  readonly send: Send
  #columns = 0

  constructor(random: Random, world: World, send: Send) {
    this.#random = random
    this.#world = world
    this.send = send
  }

  pathOf = ({ name }: Sheet): string => `${name.toLowerCase()}s`

  /** One edit; answers what it was. */
  async one(): Promise<string> {
    const random = this.#random
    const sheet = random.pick([...this.#world.values()])
    const there = [...sheet.records.values()].filter(({ isDeleted }) => !isDeleted)
    const free = KEYS.filter((key) => !sheet.records.has(key))
    const chance = random.int(100)
    if (there.length === 0 || (chance < 20 && free.length > 0)) return this.#create(sheet, free)
    const record = random.pick(there)
    if (chance < 55) return this.#update(sheet, record.key)
    if (chance < 75) return this.#override(sheet, record.key)
    if (chance < 85) return this.#remove(sheet, record.key)
    if (chance < 89) return this.#restore(sheet)
    if (chance < 96) return this.#many(sheet, there, free)
    return this.#column(sheet)
  }

  /** Several records in one request, of whose rows one may be refused. */
  #many(sheet: Sheet, there: readonly Sent[], free: readonly string[]): Promise<string> {
    const chance = this.#random.int(3)
    if (chance === 0 && free.length > 0) return this.#createMany(sheet, there, free)
    return chance === 1 ? this.#removeMany(sheet, there) : this.#updateMany(sheet, there)
  }

  async #createMany(sheet: Sheet, there: readonly Sent[], free: readonly string[]): Promise<string> {
    const made = free.map((key) => ({ key, ...this.#values(sheet, sheet.numbers.length + 3) }))
    const items = this.#withRefused(made, { key: there[0]!.key })
    const { status, body } = await this.send('POST', `${this.pathOf(sheet)}/bulk`, { items })
    expect([status, body.data.created], JSON.stringify(body)).toEqual([201, made.length])
    for (const { key, ...plain } of made) this.#keep(sheet, key, plain)
    for (const item of body.data.items) this.#expectAnswer(sheet, item.key, item)
    return `create many ${sheet.name} ${JSON.stringify(items)}`
  }

  async #updateMany(sheet: Sheet, there: readonly Sent[]): Promise<string> {
    const some = this.#random.some(there, 1 + this.#random.int(there.length))
    const changed = some.map(({ key }) => ({ key, ...this.#values(sheet, 1 + this.#random.int(3)) }))
    const items = this.#withRefused(changed, { key: there[0]!.key, a: 'no number' })
    const { status, body } = await this.send('PATCH', `${this.pathOf(sheet)}/bulk`, items)
    expect([status, body.data.updated], JSON.stringify(body)).toEqual([200, changed.length])
    for (const { key, ...plain } of changed) Object.assign(sheet.records.get(key)!.plain, plain)
    return `update many ${sheet.name} ${JSON.stringify(items)}`
  }

  async #removeMany(sheet: Sheet, there: readonly Sent[]): Promise<string> {
    const some = this.#random.some(there, 1 + this.#random.int(there.length))
    const ids = this.#withRefused(
      some.map(({ key }) => key),
      'nobody',
    )
    const { status, body } = await this.send('DELETE', `${this.pathOf(sheet)}/bulk`, { ids })
    expect([status, body.data.deleted], JSON.stringify(body)).toEqual([200, some.length])
    for (const { key } of some)
      if (sheet.isSoft) sheet.records.get(key)!.isDeleted = true
      else sheet.records.delete(key)
    return `delete many ${sheet.name} ${JSON.stringify(ids)}`
  }

  /** Rows, with one among them or none that leaves no trace. */
  #withRefused<T, R>(rows: readonly T[], refused: R): readonly (T | R)[] {
    if (this.#random.chance(0.5)) return rows
    const at = this.#random.int(rows.length + 1)
    return [...rows.slice(0, at), refused, ...rows.slice(at)]
  }

  async #create(sheet: Sheet, free: readonly string[]): Promise<string> {
    if (free.length === 0) return 'nothing'
    const key = this.#random.pick(free)
    const plain = this.#values(sheet, sheet.numbers.length + 3)
    const answer = await this.send('POST', this.pathOf(sheet), { key, ...plain })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    this.#keep(sheet, key, plain)
    this.#expectAnswer(sheet, key, answer.body.data)
    return `create ${sheet.name} ${key} ${JSON.stringify(plain)}`
  }

  #keep(sheet: Sheet, key: string, plain: Sent['plain']): void {
    const defaults = Object.fromEntries(
      sheet.numbers.flatMap((name) => (name.startsWith('x') ? [[name, 5]] : [])),
    )
    sheet.records.set(key, { key, isDeleted: false, plain: { ...defaults, ...plain }, own: new Map() })
  }

  async #update(sheet: Sheet, key: string): Promise<string> {
    const plain = this.#values(sheet, 1 + this.#random.int(3))
    const answer = await this.send('PATCH', `${this.pathOf(sheet)}/${key}`, plain)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    Object.assign(sheet.records.get(key)!.plain, plain)
    this.#expectAnswer(sheet, key, answer.body.data)
    return `update ${sheet.name} ${key} ${JSON.stringify(plain)}`
  }

  /** The answer of a write has the new record, what it brought about by itself included. */
  #expectAnswer(sheet: Sheet, key: string, data: any): void {
    const valueOf = workedOut(this.#world)
    for (const name of sheet.formulas.keys())
      expect([name, data[name]], `the answer of ${sheet.name} ${key}`).toEqual([
        name,
        valueOf(sheet.name, key, name),
      ])
  }

  async #override(sheet: Sheet, key: string): Promise<string> {
    if (sheet.formulas.size === 0) return 'nothing'
    const name = this.#random.pick([...sheet.formulas.keys()])
    if (!sheet.overridable.has(name)) return 'nothing'
    const { own } = sheet.records.get(key)!
    const before = own.get(name)
    const formula = this.#random.chance(0.25) ? undefined : drawFormula(this.#random, sheet, this.#world)
    if (formula === undefined) own.delete(name)
    else own.set(name, formula)
    const isRound = goesRound(this.#world)
    const text = formula === undefined ? null : written(formula)
    const { status, body } = await this.send('PATCH', `${this.pathOf(sheet)}/${key}`, {
      [`${name}_formula`]: text,
    })
    const what = `override ${sheet.name} ${key} ${name} = ${text}`
    expect([status, body.errors?.[0]?.rule], `${what}\n${describeWorld(this.#world)}`).toEqual(
      isRound ? [422, 'expression'] : [200, undefined],
    )
    if (isRound) {
      if (before === undefined) own.delete(name)
      else own.set(name, before)
    }
    return `${what} (${status})`
  }

  async #remove(sheet: Sheet, key: string): Promise<string> {
    const { status } = await this.send('DELETE', `${this.pathOf(sheet)}/${key}`)
    expect(status).toBe(204)
    if (sheet.isSoft) sheet.records.get(key)!.isDeleted = true
    else sheet.records.delete(key)
    return `delete ${sheet.name} ${key}`
  }

  async #restore(sheet: Sheet): Promise<string> {
    const gone = [...sheet.records.values()].filter(({ isDeleted }) => isDeleted)
    if (gone.length === 0) return 'nothing'
    const record = this.#random.pick(gone)
    const { status, body } = await this.send('POST', `${this.pathOf(sheet)}/${record.key}/restore`)
    expect(status, JSON.stringify(body)).toBe(200)
    record.isDeleted = false
    return `restore ${sheet.name} ${record.key}`
  }

  async #column(sheet: Sheet): Promise<string> {
    const path = `${this.pathOf(sheet)}/columns`
    const columns = [...sheet.numbers, ...sheet.formulas.keys()].filter((name) => name.startsWith('x'))
    const chance = this.#random.int(3)
    if (columns.length === 0 || chance === 0) return this.#addColumn(sheet, path)
    const name = this.#random.pick(columns)
    return chance === 1 ? this.#renameColumn(sheet, path, name) : this.#deleteColumn(sheet, path, name)
  }

  async #addColumn(sheet: Sheet, path: string): Promise<string> {
    const name = `x${(this.#columns += 1)}`
    const formula = this.#random.chance(0.5) ? drawFormula(this.#random, sheet, this.#world) : undefined
    const facts = formula === undefined ? { default: 5 } : { expression: written(formula) }
    const { status, body } = await this.send('POST', path, { name, type: 'decimal', ...facts })
    expect(status, JSON.stringify([body, facts])).toBe(201)
    if (formula !== undefined) sheet.formulas.set(name, formula)
    else {
      sheet.numbers.push(name)
      for (const record of sheet.records.values()) record.plain[name] = 5
    }
    return `column ${sheet.name} ${name} ${JSON.stringify(facts)}`
  }

  async #renameColumn(sheet: Sheet, path: string, name: string): Promise<string> {
    const to = `x${(this.#columns += 1)}`
    const { status, body } = await this.send('PATCH', `${path}/${name}`, { name: to })
    expect(status, JSON.stringify(body)).toBe(200)
    const at = sheet.numbers.indexOf(name)
    if (at >= 0) sheet.numbers[at] = to
    const moved = sheet.formulas.get(name)
    if (moved !== undefined) {
      sheet.formulas.delete(name)
      sheet.formulas.set(to, moved)
    }
    for (const record of sheet.records.values())
      if (name in record.plain) {
        record.plain[to] = record.plain[name]!
        delete record.plain[name]
      }
    for (const one of this.#world.values()) {
      const maps = [one.formulas, ...[...one.records.values()].map(({ own }) => own)]
      for (const formulas of maps)
        for (const [key, formula] of formulas)
          formulas.set(key, renamed(formula, one.name, sheet.name, name, to))
    }
    return `rename ${sheet.name} ${name} ${to}`
  }

  async #deleteColumn(sheet: Sheet, path: string, name: string): Promise<string> {
    const isRead = [...this.#world.values()].some((one) =>
      [...one.formulas.values(), ...[...one.records.values()].flatMap(({ own }) => [...own.values()])].some(
        (formula) =>
          readsOf(formula, one.name).some((read) => read.sheet === sheet.name && read.name === name),
      ),
    )
    const { status, body } = await this.send('DELETE', `${path}/${name}`)
    expect([status, isRead], JSON.stringify(body)).toEqual([isRead ? 409 : 204, isRead])
    if (!isRead) {
      if (sheet.numbers.includes(name)) sheet.numbers.splice(sheet.numbers.indexOf(name), 1)
      sheet.formulas.delete(name)
      for (const record of sheet.records.values()) delete record.plain[name]
    }
    return `delete column ${sheet.name} ${name} (${status})`
  }

  #values(sheet: Sheet, count: number): Record<string, string | boolean | number | null> {
    const random = this.#random
    return Object.fromEntries(
      random.some(['team', 'link', 'flag', ...sheet.numbers], count).map((name) => {
        if (name === 'team') return [name, random.pick(TEAMS)]
        if (name === 'link') return [name, random.chance(0.2) ? null : random.pick(KEYS)]
        if (name === 'flag') return [name, random.chance(0.5)]
        return [name, random.chance(0.15) ? null : random.int(20)]
      }),
    )
  }
}
