import { describe, expect, it } from 'vitest'
import { partsOf, turned } from './filter.ts'
import { compile, type Expression } from '../expression.ts'
import { ExpressionError } from '../fault.ts'
import type { Kind } from '../values/kind.ts'
import { print } from '../syntax/print.ts'
import type { Vocabulary } from '../vocabulary.ts'

const rate = new Map<string, Kind>([
  ['code', 'text'],
  ['price', 'number'],
  ['day', 'date'],
])
const vocabulary: Vocabulary = {
  fields: new Map<string, Kind>([
    ['code', 'text'],
    ['hours', 'number'],
    ['day', 'date'],
  ]),
  others: {
    names: ['Rate'],
    of: (name) => (name === 'Rate' ? { fields: rate, functions: undefined } : undefined),
  },
}
const read = (source: string): Expression => compile(source, vocabulary)
const filterOf = (filter: string) => {
  const [crossing] = read(`aggregate('Rate', 'sum', 'price', ${JSON.stringify(filter)})`).crossings
  if (crossing?.asks.kind !== 'aggregate' || crossing.asks.filter === undefined)
    throw new Error('there is a filter')
  return crossing.asks.filter
}
const context = { record: { code: 'a', hours: 2 }, now: () => 0 }

describe('calls that look into other records', () => {
  it('tell what they read, there and here', () => {
    const { crossings, fields, kind } = read("hours * lookup('Rate', code, 'price')")
    expect(crossings).toMatchObject([{ resource: 'Rate', field: 'price' }])
    expect([...(crossings[0]?.reads ?? [])]).toEqual(['price'])
    expect([[...fields].toSorted(), kind]).toEqual([['code', 'hours'], 'number'])
    const summed = read("aggregate('Rate', 'max', 'day', 'price > $record.hours and code == $record.code')")
    expect([...(summed.crossings[0]?.reads ?? [])].toSorted()).toEqual(['code', 'day', 'price'])
    expect([[...summed.fields].toSorted(), summed.kind]).toEqual([['code', 'hours'], 'date'])
  })

  it('take their values from what was found, and are null without', () => {
    const { evaluate, crossings } = read("hours * lookup('Rate', code, 'price')")
    expect(evaluate(context)).toBe(null)
    expect(evaluate({ ...context, crossed: new Map(crossings.map(({ call }) => [call, 5])) })).toBe(10)
  })

  it('may stand in each other, the inner one first', () => {
    const { crossings } = read("lookup('Rate', lookup('Rate', code, 'code'), 'price')")
    expect(crossings.map(({ field }) => field)).toEqual(['code', 'price'])
    const [inner, outer] = crossings
    if (outer?.asks.kind !== 'lookup' || inner === undefined) throw new Error('there are two')
    expect(outer.asks.evaluate({ ...context, crossed: new Map([[inner.call, 'z']]) })).toBe('z')
  })

  it('are no functions where nothing may be looked into', () => {
    expect(() => compile("lookup('Rate', code, 'price')", { fields: rate })).toThrow(ExpressionError)
  })
})

describe('a filter', () => {
  it('is turned round: it speaks of its own record by bare names', () => {
    expect(print(turned(filterOf('price > $record.hours and code == $record.code').ast))).toBe(
      '$~other.price > hours and $~other.code == code',
    )
  })

  it('says what is equal to something of the record, and what speaks of the others alone', () => {
    const { equalities, alone } = partsOf(
      filterOf(
        'code == lower($record.code) and price > 3 and price == $record.hours and price != $record.hours',
      ).ast,
    )
    expect(equalities.map(({ field, own }) => [field, print(own)])).toEqual([
      ['code', 'lower(code)'],
      ['price', 'hours'],
    ])
    expect(alone.map(print)).toEqual(['price > 3'])
  })

  it('has no equality in an `or`', () => {
    expect(partsOf(filterOf('code == $record.code or price > 3').ast)).toEqual({ equalities: [], alone: [] })
  })
})
