import { describe, expect, it } from 'vitest'
import { createRedaction, REDACTED } from './index.ts'

const SECRET = 'p+ss"w/rd\\ é&\n𝄞~=?.'

function knowing(...secrets: readonly string[]) {
  const redaction = createRedaction()
  for (const secret of secrets) redaction.add(secret)
  return redaction
}

describe('a text', () => {
  it('is answered as it is where there are no secrets', () => {
    const value = { a: [1, 'b'] }
    const redaction = createRedaction()
    expect(redaction.text('anything')).toBe('anything')
    expect(redaction.json(value)).toBe(value)
  })

  it.each([
    ['raw', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['as in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['escaped as in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['escaped twice', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
    ['escaped as in JSON of ASCII alone', ascii(JSON.stringify(SECRET).slice(1, -1))],
    ['with solidus escaped', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
  ])('loses a secret that is %s', (_, written) => {
    expect(knowing(SECRET).text(`a ${written} b`)).toBe(`a ${REDACTED} b`)
  })

  it.each(['', 'a', 'ab', 'abc', 'user:'])('loses a secret in base64 behind %j', (before) => {
    const value = `${before}${'correct horse?>~'}`
    for (const encoding of ['base64', 'base64url'] as const) {
      const written = Buffer.from(`${value} and more`).toString(encoding)
      const left = knowing('correct horse?>~').text(written)
      expect(left).toContain(REDACTED)
      expect(Buffer.from(left.replace(REDACTED, ''), 'base64').toString()).not.toContain('horse')
    }
  })

  it('loses the longer of two secrets whole', () => {
    expect(knowing('abcdef', 'abcdefgh').text('abcdefgh abcdef')).toBe(`${REDACTED} ${REDACTED}`)
  })

  it('loses a secret of many lines', () => {
    const key = Array.from({ length: 150 }, (_, at) => `${at}${'Zm9v/mFy+'.repeat(7)}`).join('\n')
    for (const written of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])
      expect(knowing(key).text(`a ${written} b`)).toBe(`a ${REDACTED} b`)
  })

  it('keeps what is only like a secret', () => {
    expect(knowing('a.c*e').text('abcce a.c*')).toBe('abcce a.c*')
  })

  it('keeps values of up to three characters, which are nobody’s secret', () => {
    expect(knowing('a', '', 'abc').text('abc')).toBe('abc')
  })

  it('has a secret as long as somebody hides it', () => {
    const redaction = createRedaction()
    const [one, two] = [redaction.add('hidden'), redaction.add('hidden')]
    void one()
    void one()
    expect(redaction.text('hidden')).toBe(REDACTED)
    void two()
    expect(redaction.text('hidden')).toBe('hidden')
  })
})

it('takes secrets out of the texts and names of JSON', () => {
  const given = { a: ['x s3cret', 1, null, true], s3cret: { b: 's3cret' } }
  expect(knowing('s3cret').json(given)).toEqual({
    a: [`x ${REDACTED}`, 1, null, true],
    [REDACTED]: { b: REDACTED },
  })
})

it('goes through a long text quickly, also where much in it is nearly a secret', () => {
  const secrets = Array.from({ length: 50 }, (_, at) => `whsec_${'Zm9vYmFy'.repeat(5)}${at}`)
  const redaction = knowing(...secrets)
  const text = `${'whsec_Zm9vYmFyZm9vYmFy'.repeat(3_000)}${secrets[7]}`
  const began = performance.now()
  expect(redaction.text(text).endsWith(REDACTED)).toBe(true)
  expect(performance.now() - began).toBeLessThan(1_000)
})

function ascii(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
