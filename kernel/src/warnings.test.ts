import { describe, expect, it } from 'vitest'
import type { Warning } from './reply.ts'
import { MAX_WARNINGS, Warnings } from './warnings.ts'

const warning = (message: string): Warning => ({
  rule: 'ignored',
  message,
  severity: 'info',
  regulation: null,
})

const gathered = (count: number) => {
  const warnings = new Warnings()
  for (let at = 0; at < count; at += 1) warnings.add(warning(`${at}`))
  return warnings
}

describe('the warnings of an answer', () => {
  it('are told as they are, as long as they are few', () => {
    expect(gathered(0).reported).toEqual([])
    expect(gathered(MAX_WARNINGS).reported).toHaveLength(MAX_WARNINGS)
    expect(gathered(MAX_WARNINGS).reported.map(({ rule }) => rule)).not.toContain('more')
  })

  it.each([1, 5000])('end in one that counts the rest: %i', (rest) => {
    const { reported } = gathered(MAX_WARNINGS + rest)
    expect(reported).toHaveLength(MAX_WARNINGS + 1)
    expect(reported.at(-1)).toMatchObject({ rule: 'more', message: expect.stringContaining(` ${rest} more`) })
  })

  it('are the same when they are told again', () => {
    const [first, again] = [gathered(57), new Warnings()]
    first.repeat((one) => again.add(one))
    expect(again.reported).toEqual(first.reported)
    expect(Warnings.of(first.first, first.more).reported).toEqual(first.reported)
  })
})
