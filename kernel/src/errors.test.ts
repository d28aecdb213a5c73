import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { AppError, errors } from './errors.ts'

test('a refusal is an error like others, but for the place where it was made', () => {
  const error = errors.NOT_FOUND({ message: 'There is no order 7' })
  expect(error).toBeInstanceOf(AppError)
  expect(error).toBeInstanceOf(Error)
  expect([error.code, error.status, error.message, String(error)]).toEqual([
    'NOT_FOUND',
    404,
    'There is no order 7',
    'AppError: There is no order 7',
  ])
  expect(() => {
    throw error
  }).toThrow('There is no order 7')
  expect(error.stack).toBeUndefined()
  expect(inspect(error)).toContain('[AppError: There is no order 7]')
})

test('what the server is at fault with says where, and because of what', () => {
  const cause = new Error('the disk is full')
  const error = errors.INTERNAL_ERROR({ cause })
  expect(error.cause).toBe(cause)
  expect(error.stack).toMatch(/^AppError: Something went wrong inside the server\n\s+at .*errors\.test\.ts/s)
  expect('cause' in errors.INTERNAL_ERROR()).toBe(false)
})
