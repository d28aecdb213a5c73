import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createKeptSecrets } from './kept-secrets.ts'

const [one, two] = [randomBytes(32), randomBytes(32)]

it('kept secrets open in their place alone, by their key or a previous one', () => {
  const old = createKeptSecrets({ key: one })
  const sealed = old.seal('whsec_ü', 'webhook 1')
  expect(sealed).not.toContain('whsec')
  expect(old.seal('whsec_ü', 'webhook 1')).not.toBe(sealed)
  expect(old.open(sealed, 'webhook 1')).toBe('whsec_ü')
  expect(old.open(sealed, 'webhook 2')).toBeUndefined()
  const rotated = createKeptSecrets({ key: two, previous: [one] })
  expect(rotated.open(sealed, 'webhook 1')).toBe('whsec_ü')
  expect(createKeptSecrets({ key: two }).open(sealed, 'webhook 1')).toBeUndefined()
  expect(old.open(rotated.seal('x', 'p'), 'p')).toBeUndefined()
})

it('what was tampered with, or is none, opens to nothing', () => {
  const secrets = createKeptSecrets({ key: one })
  const sealed = secrets.seal('text', 'p')
  for (const at of [0, 4, sealed.length - 2])
    expect(secrets.open(`${sealed.slice(0, at)}~${sealed.slice(at + 1)}`, 'p')).toBeUndefined()
  for (const none of ['', 'k1', 'k1.a.b', 'text']) expect(secrets.open(none, 'p')).toBeUndefined()
  expect(() => createKeptSecrets({ key: randomBytes(16) })).toThrow('32 bytes')
})
