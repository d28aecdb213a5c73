import { expect, it } from 'vitest'
import { isAddress } from './address.ts'

it.each([
  'a@b',
  'ada@example.org',
  'a.b+c@x-y.example',
  `${'a'.repeat(64)}@example.org`,
  "o'neil@example.org",
])('%s is one address', (text) => expect(isAddress(text)).toBe(true))

it.each([
  '',
  'ada',
  '@example.org',
  'ada@',
  'a@b@c',
  'a b@example.org',
  'a@example.org,b@example.org',
  'a@example.org;b@example.org',
  'Ada <a@example.org>',
  '<a@example.org>',
  'a@example.org\n',
  'a@example.org\r\nBcc: b@example.org',
  'a..b@example.org',
  '.a@example.org',
  'a@-example.org',
  'a@example..org',
  '"a b"@example.org',
  'a@[127.0.0.1]',
  `${'a'.repeat(65)}@example.org`,
  `a@${'b.'.repeat(130)}org`,
])('%j is none', (text) => expect(isAddress(text)).toBe(false))
