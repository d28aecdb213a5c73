import { expect, it } from 'vitest'
import { Line } from './line.ts'

const taken = (line: Line<string>): string[] => {
  const one = line.take()
  return one === undefined ? [] : [one, ...taken(line)]
}

it('lets groups take turns, however many stand in each', () => {
  const line = new Line<string>(10)
  for (const one of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) line.put(one[0]!, one)
  expect(taken(line)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

it('makes room at the end of the largest group where all places are taken', () => {
  const line = new Line<string>(3)
  for (const one of ['a1', 'b1', 'b2']) expect(line.put(one[0]!, one)).toBeUndefined()
  expect(line.put('c', 'c1')).toBe('b2')
  expect(taken(line)).toEqual(['a1', 'b1', 'c1'])
})

it('refuses the newcomer whose own group is the largest, or as large as any', () => {
  const line = new Line<string>(2)
  line.put('a', 'a1')
  line.put('b', 'b1')
  expect(line.put('c', 'c1')).toBe('c1')
  expect(line.put('a', 'a2')).toBe('a2')
  expect(taken(line)).toEqual(['a1', 'b1'])
})
