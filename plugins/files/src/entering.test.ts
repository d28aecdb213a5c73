import { errors } from '@svc/kernel'
import { expect, it } from 'vitest'
import { entering } from './entering.ts'

it.each([
  ['were entered', true, undefined, 0],
  ['were entered by an earlier request with the same key', false, undefined, 1],
  ['were refused as they were entered', true, errors.CONFLICT(), 1],
  ['are not reached by their transaction', false, errors.UNAVAILABLE(), 1],
  ['may be entered, as nobody has heard of the end', true, errors.UNAVAILABLE(), 0],
  ['may be entered, whatever was thrown', true, new Error('the connection is lost'), 0],
])('C1.12: bytes that %s', async (_, begins, error, discarded) => {
  let times = 0
  const kept = { discard: async () => void (times += 1) }
  const done = entering(kept, async (begin) => {
    if (begins) begin()
    if (error) throw error
    return 'done'
  })
  if (error) await expect(done).rejects.toBe(error)
  else expect(await done).toBe('done')
  expect(times).toBe(discarded)
})
