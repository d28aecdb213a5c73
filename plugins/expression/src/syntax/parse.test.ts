import { describe, expect, it } from 'vitest'
import { ExpressionError } from '../fault.ts'
import { LIMITS } from '../limits.ts'
import { parseExpression } from './parse.ts'
import { print } from './print.ts'

/** The tree without its offsets, which differ between spellings of one expression. */
const shape = (source: string): unknown =>
  JSON.parse(
    JSON.stringify(parseExpression(source), (key, value: unknown) => (key === 'offset' ? undefined : value)),
  )

function faultOf(source: string): ExpressionError {
  try {
    parseExpression(source)
  } catch (error) {
    if (error instanceof ExpressionError) return error
  }
  throw new Error(`${source} was read`)
}

describe('an operator takes its operands by precedence', () => {
  it.each([
    ['a ? b : c ? d : e', 'a ? b : (c ? d : e)'],
    ['a ? b ? c : d : e', 'a ? (b ? c : d) : e'],
    ['a ?? b ? c : d', '(a ?? b) ? c : d'],
    ['a ?? b or c', 'a ?? (b or c)'],
    ['a ?? b ?? c', '(a ?? b) ?? c'],
    ['a or b and c', 'a or (b and c)'],
    ['a and b or c and d', '(a and b) or (c and d)'],
    ['not a and b', '(not a) and b'],
    ['not a == b', 'not (a == b)'],
    ['!a == b', 'not (a == b)'],
    ['a == !b && c', '(a == (not b)) and c'],
    ['not not a', 'not (not a)'],
    ['a < b == c', '(a < b) == c'],
    ['a + b < c * d', '(a + b) < (c * d)'],
    ['a in b and c not in d', '(a in b) and (c not in d)'],
    ['a not in b or c', '(a not in b) or c'],
    ['not a in b', 'not (a in b)'],
    ['a contains b + c', 'a contains (b + c)'],
    ['a - b - c', '(a - b) - c'],
    ['a / b * c % d', '((a / b) * c) % d'],
    ['a + b * c', 'a + (b * c)'],
    ['-a * b', '(-a) * b'],
    ['a - -b', 'a - (-b)'],
    ['-a.b', '-(a.b)'],
    ['--a', '-(-a)'],
    ['a.b[c].d(', undefined],
    ['f(a, b)[0].c', '((f(a, b))[0]).c'],
    ['[a, b][0]', '([a, b])[0]'],
  ])('%s', (source, explicit) => {
    if (explicit === undefined) expect(() => parseExpression(source)).toThrow(ExpressionError)
    else expect(shape(source)).toEqual(shape(explicit))
  })
})

describe('spellings of one expression read alike', () => {
  it.each([
    ['a || b', 'a or b'],
    ['a && b', 'a and b'],
    ['!a', 'not a'],
    ['a = b', 'a == b'],
    ['a <> b', 'a != b'],
    ['a AND NOT b Or TRUE', 'a and not b or true'],
    ['a NOT  IN [NULL]', 'a not in [null]'],
    ['a STARTSWITH b', 'a startsWith b'],
    ['a Contains b', 'a contains b'],
    ['"it\'s"', "'it\\'s'"],
    [' a\n\t==\r\n1 ', 'a == 1'],
    ['0012.50', '12.5'],
    ['1.5e3', '1500'],
    ["'\\u0041\\u{1F600}\\uD83D\\uDE00'", "'A😀😀'"],
  ])('%s', (source, canonical) => {
    expect(print(parseExpression(source))).toBe(print(parseExpression(canonical)))
    expect(shape(source)).toEqual(shape(canonical))
  })
})

it('keeps a backslash before a letter that it knows no escape for, as patterns need', () => {
  expect(parseExpression(String.raw`'^\d+\.\\\n$'`)).toMatchObject({ value: '^\\d+\\.\\\n$' })
})

it('takes the words for comparing texts as names where a value is expected', () => {
  expect(shape('matches > 3')).toMatchObject({ operator: '>', left: { kind: 'name', name: 'matches' } })
})

it('takes every word as a name after a dot', () => {
  expect(shape('record.in.not')).toMatchObject({ kind: 'member', name: 'not', of: { name: 'in' } })
})

it('freezes the tree and says where each node stands', () => {
  const tree = parseExpression('a + [b]')
  expect(tree).toMatchObject({ offset: 2, left: { offset: 0 }, right: { offset: 4, items: [{ offset: 5 }] } })
  expect(Object.isFrozen(tree)).toBe(true)
  expect(tree.kind === 'binary' && tree.right.kind === 'list' && Object.isFrozen(tree.right.items)).toBe(true)
})

describe('an expression that cannot be read says where and why', () => {
  it.each([
    ['', 0, 'expected a value, but found the end'],
    ['a +', 3, 'expected a value, but found the end'],
    ['a b', 2, "expected the end or an operator, but found 'b'"],
    ['(a', 2, "expected ')', but found the end"],
    ['a ? b', 5, "expected ':', but found the end"],
    ['[a, ]', 4, "expected a value, but found ']'"],
    ['f(a b)', 4, "expected ')', but found 'b'"],
    ['a and or b', 6, "expected a value, but found 'or'"],
    ['a.1', 2, "expected a name, but found '1'"],
    ['a not contains b', 2, "expected the end or an operator, but found 'not'"],
    ['1e999', 0, 'the number 1e999 is too large'],
    ["a == 'b", 5, "''' cannot be read here"],
    ['a & b', 2, "'&' cannot be read here"],
    ['a == 😀', 5, "'😀' cannot be read here"],
    ['$ == 1', 0, "'$' cannot be read here"],
    ['$1', 0, "'$' cannot be read here"],
    ["'\\u0000'", 0, 'a text has a NUL or half a character'],
    ["'\\uD800'", 0, 'a text has a NUL or half a character'],
    ["'\\u{110000}'", 0, 'a text names a character past \\u{10FFFF}'],
  ])('%s', (source, offset, message) => {
    const error = faultOf(source)
    expect(error.offset).toBe(offset)
    expect(error.message).toContain(message)
  })

  it('hints at what would be right', () => {
    expect(faultOf('a | b').hint).toBe("write 'or' or '||'")
  })
})

describe('the cost of an expression is bounded', () => {
  it('takes 10,000 characters and no more', () => {
    const full = 'a'.padEnd(LIMITS.characters, ' ')
    expect(parseExpression(full)).toMatchObject({ name: 'a' })
    expect(faultOf(`${full} `).message).toContain('10000 characters at most')
  })

  it.each([
    ['parentheses', (n: number) => `${'('.repeat(n)}a${')'.repeat(n)}`],
    ['lists', (n: number) => `${'['.repeat(n)}a${']'.repeat(n)}`],
    ['calls', (n: number) => `${'f('.repeat(n)}a${')'.repeat(n)}`],
    ['indexes', (n: number) => `${'a['.repeat(n)}a${']'.repeat(n)}`],
    ['negations', (n: number) => `${'not '.repeat(n)}a`],
    ['minus signs', (n: number) => `${'-'.repeat(n)}a`],
    ['conditions', (n: number) => `${'a ? b : '.repeat(n)}c`],
  ])('takes %s inside one another to a depth of 64', (_, nest) => {
    expect(() => parseExpression(nest(LIMITS.nesting - 1))).not.toThrow()
    expect(faultOf(nest(LIMITS.nesting)).message).toContain('nested deeper than 64 levels')
    expect(faultOf(nest(1_200)).message).toContain('nested deeper than 64 levels')
  })

  it('takes 2,000 parts and no more', () => {
    const list = (items: number): string => `[${Array(items).fill('a').join(',')}]`
    expect(() => parseExpression(list(LIMITS.nodes - 1))).not.toThrow()
    expect(faultOf(list(LIMITS.nodes)).message).toContain('2000 parts at most')
  })

  it.each([
    ['operators', (n: number) => Array(n).fill('a').join('+')],
    ['members', (n: number) => `a${'.b'.repeat(n - 1)}`],
    [
      'operators and members',
      (n: number) =>
        `(${Array(n - 100)
          .fill('a')
          .join('+')})${'.b'.repeat(100)}`,
    ],
  ])('takes 250 %s in a row and no more', (_, chain) => {
    expect(() => parseExpression(chain(LIMITS.height))).not.toThrow()
    expect(faultOf(chain(LIMITS.height + 1)).message).toContain('more than 250 parts in a row')
  })
})
