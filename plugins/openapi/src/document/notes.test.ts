import type { Action, Logger } from '@svc/kernel'
import { expect, it, vi } from 'vitest'
import { notesOf } from './notes.ts'

const action = (notes: Action['notes']) => ({ name: 'svc.shop.it', notes }) as unknown as Action

it('notes are read, and what others note is left to them', () => {
  const warn = vi.fn<Logger['warn']>()
  expect(notesOf(action(undefined), { warn })).toEqual({})
  expect(notesOf(action({ status: 202, mine: { odd: 1 } }), { warn })).toEqual({ status: 202 })
  expect(warn).not.toHaveBeenCalled()
})

it('a note that is none is left out alone, and told once with its action and its name', () => {
  const warn = vi.fn<Logger['warn']>()
  const odd = action({ domain: 'shop', status: 302 })
  for (let time = 0; time < 2; time += 1) expect(notesOf(odd, { warn })).toEqual({ domain: 'shop' })
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    { action: 'svc.shop.it', faults: [expect.stringMatching(/^'status': /)] },
    'openapi.notes_unreadable',
  )
})
