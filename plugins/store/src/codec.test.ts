import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everythingKept } from '../../../test/kit/at-rest.ts'
import { startStore, STORES, type TestDatabase } from '../../../test/kit/stores.ts'
import {
  type Codec,
  column,
  type Column,
  type ColumnKind,
  type Condition,
  Increment,
  openValue,
  type Row,
  sealValue,
  type Store,
  type Table,
  TEXT,
} from './contract.ts'

const KEY = randomBytes(32)

/** AES-256-GCM with a fresh nonce for each value. */
const aes: Codec = {
  seal(value) {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', KEY, nonce)
    const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
  },
  open(kept) {
    const bytes = Buffer.from(kept, 'base64')
    const cipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, 12))
    cipher.setAuthTag(bytes.subarray(12, 28))
    return JSON.parse(Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString())
  },
}

/** The same, opening for the row alone that a value was sealed for. */
const bound: Codec = {
  bound: true,
  seal: (value, of) => aes.seal([of ?? '', value]),
  open(kept, of) {
    const [owner, value] = aes.open(kept) as [string, string]
    if (owner !== of) throw new Error(`sealed for '${owner}', not for '${String(of)}'`)
    return value
  },
}

const coded = (name: string, kind: ColumnKind): Column => ({ ...column(name, kind, true), codec: aes })
const id = column('id', 'integer')
const secrets = {
  note: coded('note', 'text'),
  born: coded('born', 'date'),
  seen: coded('seen', 'datetime'),
  score: coded('score', 'decimal'),
  rank: coded('rank', 'integer'),
  open: coded('open', 'boolean'),
  tags: coded('tags', 'json'),
}
const title = column('title', 'text', true)
const PATIENT: Table = {
  name: 'patient',
  columns: [id, title, ...Object.values(secrets)],
  primaryKey: [id],
  indexes: [],
  foreignKeys: [],
}
const CANARY = 'canary-4711'
const ANN: Row = {
  title: 'Ann',
  note: CANARY,
  born: '1999-12-31',
  seen: '2026-01-31T23:59:59.120Z',
  score: 1.5,
  rank: 7,
  open: false,
  tags: [CANARY, { deep: CANARY }],
}
const ALWAYS: Condition = { op: 'always' }
const byId = [{ column: id, descending: false }]
const isFirst: Condition = { op: 'eq', column: id, value: 1 }

for (const under of STORES) {
  describe(`a column with a codec on the ${under.name} store`, () => {
    let store: Store
    let database: TestDatabase
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, database, stop } = await startStore(under))
      await store.ensure([PATIENT])
      await store.transaction(async (tx) => {
        await tx.insert({ table: PATIENT, values: { id: 1, ...ANN } })
        await tx.insertRows({ table: PATIENT, rows: [2, 3].map((one) => ({ id: one, ...ANN })) })
        await tx.insert({ table: PATIENT, values: { id: 4 } })
      })
    })
    afterAll(() => stop())

    const all = { table: PATIENT, columns: PATIENT.columns, where: ALWAYS, order: byId }
    const nobody = Object.fromEntries(PATIENT.columns.map(({ name }) => [name, null]))
    const rows = [1, 2, 3].map((one): Row => ({ id: one, ...ANN }))

    test('answers the values that were written', async () => {
      expect(await store.select(all)).toEqual([...rows, { ...nobody, id: 4 }])
    })

    test('answers them as text, through another table, in chunks and where a transaction opens', async () => {
      const [text] = await store.select({ ...all, columns: [], text: PATIENT.columns, where: isFirst })
      expect(JSON.parse(String(text?.[TEXT]))).toEqual({ id: 1, ...ANN })
      const through = { table: PATIENT, carry: id, on: [id, id], where: isFirst } as const
      const [found] = await store.select({ ...all, columns: [secrets.note], through, order: [] })
      expect(found?.['note']).toBe(CANARY)
      const streamed: Row[] = []
      for await (const chunk of store.stream(all, 2)) streamed.push(...chunk)
      expect(streamed.slice(0, 3)).toEqual(rows)
      const opened: Row[] = []
      const opening = { plan: all, judge: (found: readonly Row[]) => void opened.push(...found) }
      await store.transaction((tx) => tx.count(all), { opening })
      expect(opened.slice(0, 3)).toEqual(rows)
    })

    test('answers what an update and a claim have set', async () => {
      const returning = [secrets.note, secrets.tags]
      const set = { note: 'changed', tags: { a: 1 } }
      await store.transaction(async (tx) => {
        const two: Condition = { op: 'eq', column: id, value: 2 }
        expect((await tx.update({ table: PATIENT, set, where: two, returning })).rows).toEqual([set])
        const three: Condition = { op: 'eq', column: id, value: 3 }
        expect(
          await tx.claim({ table: PATIENT, set, where: three, order: byId, limit: 1, returning }),
        ).toEqual([set])
        await tx.update({ table: PATIENT, set: ANN, where: { op: 'in', column: id, values: [2, 3] } })
      })
      expect(await store.select({ ...all, limit: 3 })).toEqual(rows)
    })

    test('takes values of its kind alone', async () => {
      const wrong = store.transaction((tx) => tx.insert({ table: PATIENT, values: { id: 9, rank: 'x' } }))
      await expect(wrong).rejects.toThrow("column 'rank'")
    })

    test('can be asked whether it is null, by conditions, scalars and counts', async () => {
      for (const one of Object.values(secrets)) {
        expect(await store.count({ table: PATIENT, where: { op: 'null', column: one } })).toBe(1)
        const scalar = { op: 'null', of: { op: 'column', column: one } } as const
        expect(await store.count({ table: PATIENT, where: { op: 'holds', scalar } })).toBe(1)
        const measures = { n: { fn: 'count', scalar: scalar.of } } as const
        expect(await store.aggregate({ table: PATIENT, where: ALWAYS, by: {}, measures })).toEqual([{ n: 3 }])
      }
    })

    test('is refused wherever it would be compared', async () => {
      const { note, rank } = secrets
      const of = (one: Column) => ({ op: 'column', column: one }) as const
      const conditions: Condition[] = [
        { op: 'eq', column: note, value: CANARY },
        { op: 'not', of: { op: 'gt', column: rank, value: 1 } },
        { op: 'in', column: note, values: [CANARY] },
        { op: 'like', column: note, pattern: '%' },
        { op: 'contains', table: PATIENT, columns: [title, note], text: 'abc' },
        { op: 'exists', table: PATIENT, on: [[id, rank]], where: ALWAYS },
        { op: 'holds', scalar: { op: 'call', name: 'contains', of: [of(title), of(note)] } },
      ]
      const refused = /keeps its values sealed/
      for (const where of conditions) {
        await expect(store.count({ table: PATIENT, where })).rejects.toThrow(refused)
        await expect(store.transaction((tx) => tx.remove({ table: PATIENT, where }))).rejects.toThrow(refused)
      }
      const order = [{ column: note, descending: false }]
      await expect(store.select({ ...all, order })).rejects.toThrow(refused)
      await expect(store.select({ ...all, columns: [note], distinct: true, order: [] })).rejects.toThrow(
        refused,
      )
      await expect(
        store.aggregate({ table: PATIENT, where: ALWAYS, by: { note: of(note) }, measures: {} }),
      ).rejects.toThrow(refused)
      const set = { rank: new Increment(1) }
      await expect(
        store.transaction((tx) => tx.update({ table: PATIENT, set, where: isFirst })),
      ).rejects.toThrow(refused)
      const index = { name: 'patient_note', columns: [note], unique: false }
      expect(() => store.explain({ kind: 'createIndex', table: PATIENT, index })).toThrow(refused)
      expect(() => store.explain({ kind: 'createTable', table: { ...PATIENT, primaryKey: [note] } })).toThrow(
        refused,
      )
    })

    test('leaves a value that cannot be opened no null', async () => {
      const broken: Table = { ...PATIENT, columns: [id, column('note', 'text', true)] }
      await store.transaction((tx) => tx.insert({ table: broken, values: { id: 5, note: 'no ciphertext' } }))
      const where: Condition = { op: 'eq', column: id, value: 5 }
      await expect(store.select({ ...all, where })).rejects.toThrow()
      await store.transaction((tx) => tx.remove({ table: broken, where }))
    })

    test('has no default in the schema, and writes it sealed', async () => {
      const pin: Column = { ...coded('pin', 'text'), default: CANARY }
      const table: Table = { ...PATIENT, name: 'visitor', columns: [id, pin] }
      expect(store.explain({ kind: 'createTable', table }).join()).not.toContain(CANARY)
      await store.ensure([table])
      await store.transaction((tx) => tx.insert({ table, values: { id: 1 } }))
      expect(await store.select({ ...all, table, columns: [pin] })).toEqual([{ pin: CANARY }])
    })

    test('keeps nothing in the clear', async () => {
      const kept = await everythingKept(database)
      expect(kept).toContain('patient')
      for (const canary of [CANARY, '1999-12-31', '2026-01-31']) expect(kept).not.toContain(canary)
    })
  })
}

for (const under of STORES) {
  describe(`a column whose values are bound to their rows on the ${under.name} store`, () => {
    let store: Store
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;({ store, stop } = await startStore(under))
      await store.ensure([GUEST])
    })
    afterAll(() => stop())

    const key = column('id', 'uuid')
    const word: Column = { name: 'word', kind: 'text', nullable: true, default: 'none', codec: bound }
    const GUEST: Table = {
      name: 'guest',
      columns: [key, title, word],
      primaryKey: [key],
      indexes: [],
      foreignKeys: [],
    }
    const ids = ['0191f1a0-0000-7000-8000-000000000001', '0191f1a0-0000-7000-8000-000000000002']
    const of = (at: number): Condition => ({ op: 'eq', column: key, value: ids[at] ?? '' })
    const ordered = [{ column: title, descending: false }]
    const every = { table: GUEST, where: ALWAYS, order: ordered }

    test('is read by the key of each row, whether that is asked for or not', async () => {
      await store.transaction(async (tx) => {
        await tx.insert({ table: GUEST, values: { id: ids[0]!, title: 'a', word: 'one' } })
        await tx.insertRows({ table: GUEST, rows: [{ id: ids[1]!, title: 'b' }] })
      })
      expect(await store.select({ ...every, columns: [word] })).toEqual([{ word: 'one' }, { word: 'none' }])
      expect(await store.select({ ...every, columns: [key, word] })).toEqual([
        { id: ids[0], word: 'one' },
        { id: ids[1], word: 'none' },
      ])
      const texts = await store.select({ ...every, columns: [], text: [title, word] })
      expect(texts).toEqual([
        { [TEXT]: '{"title":"a","word":"one"}' },
        { [TEXT]: '{"title":"b","word":"none"}' },
      ])
      const through = { table: GUEST, carry: title, on: [key, key], where: ALWAYS } as const
      const [first] = await store.select({ ...every, columns: [word], through, limit: 1 })
      expect(Object.keys(first ?? {}).toSorted()).toEqual(['word', '~carried'])
    })

    test('is written for the one row that a statement names, and for no other', async () => {
      await store.transaction(async (tx) => {
        const where: Condition = { op: 'and', of: [{ op: 'null', column: title }, of(0)] }
        expect((await tx.update({ table: GUEST, set: { word: 'x' }, where })).count).toBe(0)
        const set = { word: 'two' }
        expect((await tx.update({ table: GUEST, set, where: of(0), returning: [word] })).rows).toEqual([set])
      })
      const wide: Condition = { op: 'in', column: key, values: ids }
      await expect(
        store.transaction((tx) => tx.update({ table: GUEST, set: { word: 'y' }, where: wide })),
      ).rejects.toThrow(/bound to their rows/)
      const raw: Table = { ...GUEST, columns: [key, column('word', 'text', true)] }
      const [{ word: stolen = null } = {}] = await store.select({
        ...every,
        table: raw,
        columns: [raw.columns[1]!],
        where: of(0),
        order: [],
      })
      await store.transaction((tx) => tx.update({ table: raw, set: { word: stolen }, where: of(1) }))
      await expect(store.select({ ...every, columns: [word] })).rejects.toThrow(/sealed for/)
    })
  })
}

test('a value is sealed for JSON elsewhere, and opened by what sealed it alone', () => {
  const kept = sealValue(secrets.tags, [CANARY])
  expect(JSON.stringify(kept)).not.toContain(CANARY)
  expect(openValue(secrets.tags, JSON.parse(JSON.stringify(kept)))).toEqual([CANARY])
  expect(sealValue(secrets.tags, null)).toBeNull()
  expect(sealValue(title, 'Ann')).toBe('Ann')
  expect(openValue(secrets.note, 'from before it was sealed')).toBe('from before it was sealed')
  expect(openValue(title, kept)).toBeNull()
})
