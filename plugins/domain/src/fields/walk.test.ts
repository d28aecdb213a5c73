import { describe, expect, it } from 'vitest'
import type { Inside, Member, Members } from './field-type.ts'
import { someInside } from './walk.ts'

const named = (name: string, members?: Inside): Member =>
  ({ type: { name }, ...(members && { members }) }) as unknown as Member

const blocksOf = (blocks: Readonly<Record<string, Members>>): Inside => ({
  blocks: new Map(Object.entries(blocks)),
})

describe('what is looked for inside of fields', () => {
  it('is looked for once in what many of them hold', () => {
    const block: Members = new Map([
      ['a', named('text')],
      ['b', named('number')],
    ])
    const looked: string[] = []
    const isMedia = someInside(({ type }) => {
      looked.push(type.name)
      return type.name === 'media'
    })
    const fields = Array.from({ length: 100 }, () => named('blocks', blocksOf({ block })))
    expect(fields.some(isMedia)).toBe(false)
    expect(looked.filter((name) => name !== 'blocks')).toEqual(['text', 'number'])
  })

  it('is found where blocks hold one another, whichever is asked first', () => {
    const one = new Map<string, Member>()
    const other = new Map<string, Member>()
    one.set('inner', named('blocks', blocksOf({ other })))
    other.set('inner', named('blocks', blocksOf({ one })))
    other.set('picture', named('media'))
    const lone: Members = new Map([['inner', named('blocks', blocksOf({}))]])
    const isMedia = someInside(({ type }) => type.name === 'media')
    const of = (blocks: Readonly<Record<string, Members>>) => isMedia(named('blocks', blocksOf(blocks)))
    expect([of({ lone }), of({ one }), of({ other }), of({ lone, one })]).toEqual([false, true, true, true])
  })
})
