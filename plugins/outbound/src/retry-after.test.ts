import { expect, it } from 'vitest'
import { retryAfter } from './retry-after.ts'

const NOW = Date.UTC(2026, 2, 1, 12)

it.each([
  ['120', 120_000],
  [' 1 ', 1000],
  ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
  ['999999', 86_400_000],
  ['0', undefined],
  ['Sun, 01 Mar 2026 11:00:00 GMT', undefined],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j is %j milliseconds from now', (header, ms) => expect(retryAfter(header, NOW)).toBe(ms))
