import { describe, expect, it } from 'vitest'
import { compile } from '../expression.ts'
import type { Vocabulary } from '../vocabulary.ts'

const vocabulary: Vocabulary = {
  fields: new Map([
    ['id', 'text'],
    ['orderId', 'text'],
    ['amount', 'number'],
  ]),
  previous: true,
  caller: true,
  variables: new Map([
    ['trigger', 'object'],
    ['transition', 'text'],
  ]),
}
const trigger = { record: { id: 'a', size: 3 }, input: { ids: ['b'] } }
const context = { variables: { trigger, transition: 'finish' }, now: () => 0 }
const fixed = (source: string) =>
  compile(source, vocabulary)
    .fixed(['transition'])
    .map(({ field, value }) => [field, value(context)])

describe('the fields that a condition fixes', () => {
  it.each([
    ['id == $trigger.record.id', [['id', 'a']]],
    ['$trigger.record.id == id', [['id', 'a']]],
    ['record.id = $trigger.input.ids[0]', [['id', 'b']]],
    ["record['amount'] == $trigger.record.size + 1", [['amount', 4]]],
    [
      'amount > 3 and orderId == $trigger.record.id and id == "x"',
      [
        ['orderId', 'a'],
        ['id', 'x'],
      ],
    ],
    ['amount == null', [['amount', null]]],
  ])('are there in %s', (source, expected) => {
    expect(fixed(source)).toEqual(expected)
  })

  it.each([
    'id != $trigger.record.id',
    'id == $trigger.record.id or amount > 3',
    'not (id == $trigger.record.id)',
    'id == orderId',
    'id == previous.id',
    'id == record.orderId',
    'id == $transition',
    'id == lower($trigger.record.id)',
    'id == user.id',
    '$now == amount',
    'amount > 3',
    'true',
  ])('are none in %s', (source) => {
    expect(fixed(source)).toEqual([])
  })
})
