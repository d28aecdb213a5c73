import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACTIONS } from '../definition.ts'
import { type Answer, judge } from './judge.ts'
import { inOrder, type Ordered } from './order.ts'

const rule = (name: string, more: Partial<Ordered> = {}): Ordered => ({
  name,
  action: 'warn',
  priority: 100,
  dependsOn: [],
  ...more,
})
const names = (rules: readonly Ordered[]) => rules.map(({ name }) => name).join(' ')

describe('the order of rules', () => {
  it('is that of their actions, then of priorities, then of the text', () => {
    const rules = [
      rule('logs', { action: 'log', priority: 1 }),
      rule('second'),
      rule('first', { priority: 50 }),
      rule('third'),
      rule('rejects', { action: 'reject', priority: 900 }),
    ]
    expect(names(inOrder(rules))).toBe('rejects first second third logs')
  })

  it('puts a rule after those that it depends on, whatever the priorities', () => {
    const rules = [
      rule('late', { priority: 1, dependsOn: ['early'] }),
      rule('middle', { priority: 60 }),
      rule('early', { priority: 80 }),
    ]
    expect(names(inOrder(rules))).toBe('middle early late')
  })
})

/** What the law says, word for word: who comes next is looked for anew each time. */
function reference(rules: readonly Ordered[], answers: ReadonlyMap<string, Answer>) {
  const fired: string[] = []
  const undecided: string[] = []
  for (const action of ACTIONS) {
    const left = rules.filter((one) => one.action === action)
    while (left.length > 0) {
      const isFree = (one: Ordered) => !left.some(({ name }) => one.dependsOn.includes(name))
      const next = left.filter(isFree).reduce((best, one) => (one.priority < best.priority ? one : best))
      left.splice(left.indexOf(next), 1)
      if (next.dependsOn.some((name) => fired.includes(name))) continue
      const answer = answers.get(next.name) ?? null
      if (action === 'reject') {
        if (answer === true || answer === 'failed') return { fired: [next.name], undecided }
        if (answer === null) undecided.push(next.name)
      } else if (answer === true) fired.push(next.name)
    }
  }
  return { fired, undecided }
}

/** Rules that depend on earlier ones of their own action or of one that is asked before. */
const RULES = fc
  .array(
    fc.record({
      action: fc.constantFrom(...ACTIONS),
      priority: fc.integer({ min: 0, max: 3 }),
      answer: fc.constantFrom<Answer>(true, false, false, null, 'failed'),
      dependsOn: fc.array(fc.nat(20), { maxLength: 3 }),
      place: fc.nat(),
    }),
    { maxLength: 14 },
  )
  .map((drawn) => {
    const made = drawn.map((one, at) => ({
      ...one,
      name: `r${at}`,
      dependsOn: one.dependsOn
        .filter((of) => of < at && ACTIONS.indexOf(drawn[of]!.action) <= ACTIONS.indexOf(one.action))
        .map((of) => `r${of}`),
    }))
    return made.toSorted((one, other) => one.place - other.place)
  })

describe('what rules find', () => {
  it('is what the law says of any set of them', () => {
    fc.assert(
      fc.property(RULES, (rules) => {
        const answers = new Map(rules.map(({ name, answer }) => [name, answer]))
        const { fired, undecided } = judge(inOrder(rules), ({ name }) => answers.get(name) ?? null)
        expect({
          fired: fired.map(({ name }) => name),
          undecided: undecided.map(({ name }) => name),
        }).toEqual(reference(rules, answers))
      }),
      { numRuns: 2000 },
    )
  })

  it('asks none after one that rejects, and none that depends on one that fired', () => {
    const asked: string[] = []
    const all = (action: Ordered['action']) => [
      rule('a', { action }),
      rule('b', { action }),
      rule('c', { action, dependsOn: ['a'] }),
    ]
    const ask = ({ name }: Ordered) => asked.push(name) > 0
    judge(all('reject'), ask)
    judge(all('warn'), ask)
    expect(asked).toEqual(['a', 'a', 'b'])
  })
})
