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
    expect(gathered(0).told).toEqual([])
    expect(gathered(MAX_WARNINGS).told).toHaveLength(MAX_WARNINGS)
    expect(gathered(MAX_WARNINGS).told.map(({ rule }) => rule)).not.toContain('more')
  })

  it.each([1, 5000])('end in one that counts the rest: %i', (rest) => {
    const { told } = gathered(MAX_WARNINGS + rest)
    expect(told).toHaveLength(MAX_WARNINGS + 1)
    expect(told.at(-1)).toMatchObject({ rule: 'more', message: expect.stringContaining(` ${rest} more`) })
  })

  it('are the same when they are told again', () => {
    const [first, again] = [gathered(57), new Warnings()]
    first.repeat((one) => again.add(one))
    expect(again.told).toEqual(first.told)
    expect(Warnings.of(first.first, first.more).told).toEqual(first.told)
  })
})
