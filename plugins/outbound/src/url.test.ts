import { expect, it } from 'vitest'
import { isUrl } from './url.ts'

it('knows a url however often it is asked, whatever letters it has', () => {
  for (let at = 0; at < 100_000; at += 1) isUrl(`https://example.org/${at % 7}`)
  expect(isUrl('https://münchen.de/ü')).toBe(true)
  expect([isUrl('/a', 'https://example.org'), isUrl('/a'), isUrl('https://[::1')]).toEqual([
    true,
    false,
    false,
  ])
})
