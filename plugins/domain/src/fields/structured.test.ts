import { describe, expect, it } from 'vitest'
import type { Value } from '@svc/store/contract'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { CompiledType, Members } from './field-type.ts'
import { type Case, compile, describeFields, outcome } from './fields.testkit.ts'
import { referredBy, walk } from './walk.ts'

const CASES: readonly Case[] = [
  {
    field: 'json',
    kept: [{ a: [1, null, { b: 'c' }] }, [], 'text', 1, false],
    refused: { type: [Infinity, { a: [Infinity] }] },
  },
  {
    field: 'array',
    kept: [[], [1, 'a', { b: [] }]],
    refused: { type: ['a', { 0: 'a' }, 1], '0: type': [[null], [Infinity]] },
  },
  {
    field: { type: 'array', items: 'integer', minItems: 1, maxItems: 3 },
    kept: [[1], [1, 1, 1]],
    refused: { items: [[], [1, 2, 3, 4]], '1: type': [[1, '2']], 'items,0: type': [['a', 2, 3, 4]] },
  },
  {
    field: { type: 'array', items: { type: 'datetime', max: '2030-01-01T00:00:00Z' } },
    changed: [[['2026-03-01T09:30:00Z'], ['2026-03-01T09:30:00.000Z']]],
    refused: { '0: format,1: max': [['x', '2031-01-01T00:00:00Z']] },
  },
  {
    field: { type: 'array', items: { type: 'string', enum: 'Size' } },
    kept: [['S', 'S']],
    refused: { '1: enum': [['S', 'XL']] },
  },
  {
    field: { type: 'array', items: { type: 'array', items: 'integer' } },
    kept: [[[1], []]],
    refused: { '0.1: type': [[[1, 'a']]] },
  },
  {
    field: 'set',
    kept: [[], [1, '1', true, 'true', null].slice(0, 4), [{ a: 1 }, { a: 2 }]],
    refused: {
      '1: items': [
        ['a', 'a'],
        [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      ],
    },
  },
  {
    field: { type: 'set', items: 'uuid' },
    refused: {
      '1: items': [['0192b5a4-7c1e-7def-8abc-0123456789ab', '0192B5A4-7C1E-7DEF-8ABC-0123456789AB']],
    },
  },
  {
    field: {
      type: 'component',
      fields: {
        street: { type: 'string', required: true, maxLength: 5 },
        city: { type: 'string', default: 'Bonn' },
        at: 'datetime',
        inner: { type: 'component', fields: { n: 'integer' } },
      },
    },
    kept: [
      { street: 'a', city: 'b' },
      { street: 'a', city: null },
    ],
    changed: [
      [{ street: 'a' }, { street: 'a', city: 'Bonn' }],
      [
        { street: 'a', city: 'b', at: '2026-03-01T09:30:00Z' },
        { street: 'a', city: 'b', at: '2026-03-01T09:30:00.000Z' },
      ],
    ],
    refused: {
      type: ['a', [], 1],
      'street: required': [{}, { street: null }],
      'stret: unknown,street: required': [{ stret: 'a' }],
      'street: maxLength,at: format,inner.n: type': [{ street: 'abcdef', at: 'x', inner: { n: '1' } }],
    },
  },
  { field: 'component', kept: [{}, { a: { b: 1 } }], refused: { type: ['a', []] } },
  {
    field: { type: 'repeater', minItems: 1, fields: { title: { type: 'string', required: true } } },
    kept: [[{ title: 'a' }]],
    refused: { items: [[]], type: [{ title: 'a' }], '0.title: required,1: type': [[{}, 'a']] },
  },
]

describeFields(CASES)

describe('blocks', () => {
  const blocks = new Map<string, Members>()
  const content = compile('blocks', { blocks })
  const text = { ...compile({ type: 'string' }), required: true }
  blocks.set('text', new Map([['body', text]]))
  blocks.set('columns', new Map([['left', { ...content, required: false }]]))

  it('take the blocks that the definition declares, also inside one another', () => {
    const value = [
      { type: 'text', data: { body: 'a' } },
      { type: 'columns', data: { left: [{ type: 'text', data: { body: 'b' } }] } },
    ]
    expect(outcome(content.check(value))).toEqual({ stored: value })
    expect(outcome(content.check([{ type: 'columns' }]))).toEqual({ stored: [{ type: 'columns', data: {} }] })
  })

  it('refuse others, and lead to each fault', () => {
    const value = [
      { type: 'txt', data: {} },
      { type: 'text', data: {}, id: 1 },
      { data: {} },
      'a',
      { type: 'columns', data: { left: [{ type: 'text', data: { body: 1 } }] } },
    ]
    expect(outcome(content.check(value))).toEqual({
      broken: [
        '0.type: enum',
        '1.id: unknown',
        '1.data.body: required',
        '2.type: type',
        '3: type',
        '4.data.left.0.data.body: type',
      ],
    })
  })
})

describe('a value full of mistakes', () => {
  it('reports a bounded number of them', () => {
    const mistakes = Array.from({ length: 10_000 }, () => 'x')
    const list = compile({ type: 'array', items: 'integer' }).check(mistakes)
    const group = compile({ type: 'component', fields: { a: 'string' } }).check(
      Object.fromEntries(mistakes.map((_, index) => [`x${index}`, 1])),
    )
    expect([list, group].map((checked) => 'faults' in checked && checked.faults.length)).toEqual([100, 100])
  })
})

describe('walk', () => {
  const visited = (field: FieldDefinition, value: Value, blocks?: ReadonlyMap<string, Members>) => {
    const found: string[] = []
    walk(compile(field, blocks && { blocks }), value, ({ type }, one, path) =>
      found.push(`${path.join('.')} ${type.name} ${JSON.stringify(one)}`),
    )
    return found
  }

  it('visits the fields inside of lists and components, the outer ones first', () => {
    const address: FieldDefinition = {
      type: 'component',
      fields: { city: 'string', phones: { type: 'array', items: 'phone' }, note: 'text' },
    }
    expect(visited(address, { city: 'Ulm', phones: ['123', '456'], note: null })).toEqual([
      ' component {"city":"Ulm","phones":["123","456"],"note":null}',
      'city string "Ulm"',
      'phones array ["123","456"]',
      'phones.0 phone "123"',
      'phones.1 phone "456"',
    ])
  })

  it('visits the fields of a repeater and of blocks, and knows nothing of what is not declared', () => {
    expect(visited({ type: 'repeater', fields: { at: 'date' } }, [{ at: '2026-01-01' }])).toEqual([
      ' repeater [{"at":"2026-01-01"}]',
      '0.at date "2026-01-01"',
    ])
    const quote: Members = new Map([['by', { ...compile('email'), required: false }]])
    const page = [
      { type: 'quote', data: { by: 'a@b.de' } },
      { type: 'gone', data: { by: 'c@d.de' } },
    ]
    expect(visited({ type: 'blocks' }, page, new Map([['quote', quote]])).slice(1)).toEqual([
      '0.data.by email "a@b.de"',
    ])
    expect(visited({ type: 'array' }, [1, 2])).toEqual([' array [1,2]'])
    expect(visited({ type: 'array', items: 'string' }, null)).toEqual([])
  })

  it('tells what is referred to wherever it stands', () => {
    const file: CompiledType = { ...compile('uuid'), refersTo: (value) => [String(value)] }
    const fields: Members = new Map([['logo', { ...file, required: false }]])
    const list: CompiledType = { ...compile('array'), members: { items: { members: { fields } } } }
    expect(referredBy(list, [{ logo: 'a' }, {}, { logo: 'b' }]).map(({ id, path }) => [id, path])).toEqual([
      ['a', [0, 'logo']],
      ['b', [2, 'logo']],
    ])
  })
})
