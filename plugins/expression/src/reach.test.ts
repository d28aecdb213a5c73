import type { Column, Table } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { checkExpression } from './check/check.ts'
import type { Kind } from './values/kind.ts'
import { parseExpression } from './syntax/parse.ts'
import { type Relation, mergedReach } from './relation.ts'
import type { Vocabulary } from './vocabulary.ts'

const id: Column = { name: 'id', kind: 'uuid', nullable: false }
const table: Table = { name: 'any', columns: [id], primaryKey: [id], indexes: [], foreignKeys: [] }

const relation = (name: string, many: boolean, vocabulary: () => Vocabulary): Relation => ({
  name,
  many,
  near: many ? 'id' : `${name}Id`,
  get vocabulary() {
    return vocabulary()
  },
  join: { related: { table, on: [id, id], where: { op: 'always' } }, order: [], columns: new Map() },
})
const speaking = (
  fields: Readonly<Record<string, Kind>>,
  relations: () => readonly Relation[],
): Vocabulary => ({
  fields: new Map(Object.entries({ id: 'text', ...fields })),
  caller: true,
  get relations() {
    return new Map(relations().map((one) => [one.name, one]))
  },
})
const house: Vocabulary = speaking({ userId: 'text' }, () => [relation('animals', true, () => animal)])
const animal: Vocabulary = speaking({ name: 'text' }, () => [
  relation('household', false, () => house),
  relation('visits', true, () => visit),
])
const line: Vocabulary = speaking({ sku: 'text', qty: 'number', total: 'text' }, () => [
  relation('visit', false, () => visit),
])
const visit: Vocabulary = {
  ...speaking({ title: 'text' }, () => []),
  relations: new Map([
    ['animal', relation('animal', false, () => animal)],
    ['lines', relation('lines', true, () => line)],
  ]),
}

const faultsOf = (source: string) =>
  checkExpression(parseExpression(source), { ...visit, previous: true }).faults

describe('an expression that reaches is refused', () => {
  it.each<[string, number, string, string | undefined]>([
    ['anmal.name', 0, "'anmal' is not known here", "did you mean 'animal'?"],
    ['animal.nme', 6, "'animal' has no field 'nme'", "did you mean 'name'?"],
    ['animal.houshold.userId', 6, "'animal' has no field 'houshold'", "did you mean 'household'?"],
    ['record.anmal', 6, "there is no field 'anmal'", "did you mean 'animal'?"],
    ['animal', 0, "'animal' cannot be taken as a whole", 'name one of its fields, as in animal.id'],
    ['animal[title]', 6, "a field of 'animal' has to be named", 'write it as animal.id'],
    ['lines.sku', 5, "'lines' is a list of records", 'first(lines.sku)'],
    ['lines', 0, "'lines' is a list of records", 'count(lines)'],
    ['animal.visits.animal', 13, "'visits' is a list of records", 'count(visits, animal != null)'],
    ['sum(animal, name)', 4, "'sum' goes through a list, and 'animal' is one record", 'animal.id'],
    ['sum(lines)', 0, "'sum' has to be told what of each of 'lines'", 'sum(lines, quantity * price)'],
    ['sum(lines, qty, 2)', 16, "'sum' takes a list of records and one thing", undefined],
    ['sum(lines, sku)', 11, "'sum' wants a number of each record, not text", undefined],
    ['any(lines, qty)', 11, "'any' wants a condition of each record, not number", undefined],
    ['count(lines.sku)', 0, "'count' wants a condition of each record, not text", undefined],
    ['sum(lines, qyt)', 11, "'qyt' is not known here", "did you mean 'qty'?"],
    ['sum(lines.qyt)', 9, "'lines' has no field 'qyt'", "did you mean 'qty'?"],
    ['any(lines, sku == record.title)', 18, "there is no 'record' here", 'bare names are fields of each'],
    ['any(lines, sku == previous.title)', 18, "there is no 'previous' here", undefined],
    ['any(lines, visit.animal.household.userId == user.id)', 33, 'this goes 4 steps', 'keep a copy'],
    ['animal.household.animals == null', 16, "'animals' is a list of records", 'count(animals)'],
    ['sum(animal.visits.lines.qty)', 23, "'visits' is a list of records", undefined],
  ])('%s', (source, offset, message, hint) => {
    const [fault] = faultsOf(source)
    expect(fault).toMatchObject({ severity: 'error' })
    expect(fault?.message).toContain(message)
    if (hint !== undefined) expect(fault?.hint).toContain(hint)
    expect(fault?.offset).toBe(offset)
  })

  it('that reaches more than twenty times', () => {
    const some = (count: number) => Array.from({ length: count }, () => 'count(lines)').join(' + ')
    expect(faultsOf(some(20))).toEqual([])
    expect(faultsOf(some(21))).toMatchObject([{ message: expect.stringContaining('20 times at most') }])
    expect(faultsOf(some(23))).toHaveLength(1)
  })
})

it.each([
  'animal.household.userId == user.id',
  "record.animal.name == 'rex' and record['animal']['name'] != null",
  'animal == null or isNull(animal.household)',
  'sum(lines.qty) > 1 and count(lines) == size(lines)',
  'sum(lines, qty * 2) > avg(lines, qty) and any(lines, qty > 1 and not hasRole(sku))',
  "first(lines.sku) == max(lines, sku) and all(lines, visit.animal.name == 'rex')",
  'count(animal.visits) > 1 and min([1, 2]) < max(1, 2)',
  'previous.animal.name != animal.name and count(previous.lines) <= count(lines)',
])('nothing speaks against %s', (source) => expect(faultsOf(source)).toEqual([]))

it('what several expressions ask for is put together', () => {
  const reachOf = (source: string) => checkExpression(parseExpression(source), visit).reach
  const merged = mergedReach([
    reachOf('animal.household.userId == user.id'),
    reachOf('title == null'),
    reachOf("animal.name == 'rex' and count(lines, qty > 1) > 0"),
  ])
  expect([...(merged.get('animal')?.fields ?? [])].toSorted()).toEqual(['householdId', 'name'])
  expect([...(merged.get('animal')?.reach.get('household')?.fields ?? [])]).toEqual(['userId'])
  expect([...(merged.get('lines')?.fields ?? [])]).toEqual(['qty'])
})

it('names of the list inside are not those of the record outside', () => {
  const { fields } = checkExpression(
    parseExpression('sum(lines, qty) > 1 and any(lines, total == null)'),
    visit,
  )
  expect([...fields]).toEqual(['id'])
})
