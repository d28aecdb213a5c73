import type { Action } from '@svc/kernel'
import { expect, it } from 'vitest'
import { notesOf } from './notes.ts'

const action = (notes: Action['notes']) => ({ name: 'svc.shop.it', notes }) as unknown as Action

it('notes are read, and what others note is left to them', () => {
  expect(notesOf(action(undefined))).toEqual({})
  expect(notesOf(action({ status: 202, mine: { odd: 1 } }))).toEqual({ status: 202 })
})

it('a note that is none is told with its action and its name, and takes no others along in silence', () => {
  expect(() => notesOf(action({ domain: 'shop', status: 302 }))).toThrow(/'svc\.shop\.it'.*'status'/)
})
