/** How tightly things bind, loosest first: an operand may bind as tightly as its operator or tighter. */
export const PRECEDENCE = Object.freeze({
  conditional: 1,
  fallback: 2,
  or: 3,
  and: 4,
  not: 5,
  comparison: 6,
  additive: 7,
  multiplicative: 8,
  negative: 9,
  postfix: 10,
  primary: 11,
})

/** Operators between two operands in canonical spelling, and their precedence; all of them group from the left. */
export const BINARY = Object.freeze({
  '??': PRECEDENCE.fallback,
  or: PRECEDENCE.or,
  and: PRECEDENCE.and,
  '==': PRECEDENCE.comparison,
  '!=': PRECEDENCE.comparison,
  '<': PRECEDENCE.comparison,
  '<=': PRECEDENCE.comparison,
  '>': PRECEDENCE.comparison,
  '>=': PRECEDENCE.comparison,
  in: PRECEDENCE.comparison,
  'not in': PRECEDENCE.comparison,
  contains: PRECEDENCE.comparison,
  startsWith: PRECEDENCE.comparison,
  endsWith: PRECEDENCE.comparison,
  matches: PRECEDENCE.comparison,
  '+': PRECEDENCE.additive,
  '-': PRECEDENCE.additive,
  '*': PRECEDENCE.multiplicative,
  '/': PRECEDENCE.multiplicative,
  '%': PRECEDENCE.multiplicative,
})

export type BinaryOperator = keyof typeof BINARY

/** Other spellings of operators; words are looked up in lower case. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['||', 'or'],
  ['&&', 'and'],
  ['!', 'not'],
  ['=', '=='],
  ['<>', '!='],
  ['startswith', 'startsWith'],
  ['endswith', 'endsWith'],
])

/** The canonical spelling of a sign or word. */
export function canonical(text: string): string {
  const lower = text.toLowerCase()
  return SPELLINGS.get(lower) ?? lower
}

export const isBinaryOperator = (text: string): text is BinaryOperator => Object.hasOwn(BINARY, text)
