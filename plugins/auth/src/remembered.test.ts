import { ANONYMOUS } from '@svc/kernel'
import { expect, it } from 'vitest'
import { createMemory } from './remembered.ts'

const of = (token: string, subject = token) => ({
  token,
  caller: ANONYMOUS,
  subject,
  proof: { keyHash: '' },
  expiresAt: 1,
  seen: 0,
})

it('forgets the token that nobody showed for longest when it is full', () => {
  const memory = createMemory(2)
  for (const token of ['a', 'b']) memory.set(of(token))
  memory.get('a')
  memory.set(of('c'))
  expect(['a', 'b', 'c'].filter((token) => memory.get(token))).toEqual(['a', 'c'])
})

it('forgets all tokens of a user and of nobody else', () => {
  const memory = createMemory(10)
  memory.set(of('a1', 'a'))
  memory.set(of('a2', 'a'))
  memory.set(of('b'))
  memory.forget('a')
  expect(['a1', 'a2', 'b'].filter((token) => memory.get(token))).toEqual(['b'])
  expect(memory.generation).toBe(1)
})

it('forgets everybody', () => {
  const memory = createMemory(10)
  for (const token of ['a', 'b']) memory.set(of(token))
  memory.forgetAll()
  expect(['a', 'b'].filter((token) => memory.get(token))).toEqual([])
  expect(memory.generation).toBe(1)
})

it('keeps a token once, however often it is set', () => {
  const memory = createMemory(2)
  memory.set(of('a'))
  memory.set(of('a'))
  memory.set(of('b'))
  expect(memory.get('a')).toBeDefined()
})

it('tells tokens apart that end alike', () => {
  const memory = createMemory(10)
  const end = 'e'.repeat(40)
  memory.set(of(`a${end}`))
  expect(memory.get(`b${end}`)).toBeUndefined()
  memory.set(of(`b${end}`))
  expect(memory.get(`b${end}`)?.subject).toBe(`b${end}`)
  memory.forget(`b${end}`)
  expect(memory.get(`b${end}`)).toBeUndefined()
})
