import type { Column, Condition, Order } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { partsAfter } from './cursor.ts'

const column = (name: string, nullable = true): Column => ({ name, kind: 'text', nullable })
const by = (of: Column, descending = false): Order => ({ column: of, descending })
const [a, b, key] = [column('a'), column('b'), column('id', false)]

/** A part in a few letters: `a=1 b>2`. */
const written = (condition: Condition): string => {
  if (condition.op === 'and') return condition.of.map(written).join(' ')
  if (condition.op === 'null') return `${condition.column.name}=null`
  if (condition.op === 'not') return `!${written(condition.of)}`
  const signs: Record<string, string> = { eq: '=', gt: '>', lt: '<' }
  return 'value' in condition
    ? `${condition.column.name}${signs[condition.op]}${String(condition.value)}`
    : condition.op
}
const parts = (position: readonly (string | null)[], order: readonly Order[]) =>
  partsAfter(position, order).map(written)

describe('the parts of a list after a position', () => {
  it('are ranges behind an equal beginning, the nearest first', () => {
    expect(parts(['1', '2', 'k'], [by(a), by(b), by(key)])).toEqual(['a=1 b=2 id>k', 'a=1 b>2', 'a>1'])
  })

  it('keep nulls apart: first going up, last going down', () => {
    expect(parts(['1', 'k'], [by(a, true), by(key, true)])).toEqual(['a=1 id<k', 'a<1', 'a=null'])
    expect(parts([null, 'k'], [by(a), by(key)])).toEqual(['a=null id>k', '!a=null'])
    expect(parts([null, 'k'], [by(a, true), by(key, true)])).toEqual(['a=null id<k'])
  })

  it('are one range where the key alone decides', () => {
    expect(parts(['k'], [by(key)])).toEqual(['id>k'])
    expect(parts(['k'], [by(key, true)])).toEqual(['id<k'])
  })
})
