import type { Binary, Node } from '../syntax/ast.ts'
import { errorAt, type Fault, warningAt } from '../fault.ts'
import { readInstant } from '../values/instant.ts'
import { commonKind, isTemporal, type Kind } from '../values/kind.ts'
import type { BinaryOperator } from '../syntax/operators.ts'
import { compilePattern, patternInSlashes } from '../values/pattern.ts'

/** The kind of an operation's result, from the kinds of its operands. */
export const kindOfBinary = ({ operator }: Binary, left: Kind, right: Kind): Kind =>
  OPERANDS[operator].gives(left, right)

/** What is wrong with the operands of an operator. */
export function operandFaults({ operator, left, right, offset }: Binary, a: Kind, b: Kind): readonly Fault[] {
  const { fits, wants } = OPERANDS[operator]
  const faults: Fault[] = [
    ...dateFaults(left, b),
    ...dateFaults(right, a),
    ...(operator === 'matches' ? patternFaults(right) : []),
  ]
  if (!fits(a, b)) faults.push(warningAt(offset, `'${operator}' wants ${wants}, not ${a} and ${b}`))
  return faults
}

/** Patterns stand in the expression itself: they are compiled once, and nobody else can bring a costly one. */
function patternFaults(node: Node): Fault[] {
  if (node.kind !== 'literal' || typeof node.value !== 'string') {
    return [errorAt(node.offset, "'matches' needs its pattern as a text", "write it as name matches '^A'")]
  }
  const pattern = compilePattern(node.value)
  if (typeof pattern === 'string') return [errorAt(node.offset, `the pattern cannot be used: ${pattern}`)]
  const inside = patternInSlashes(node.value)
  return inside === undefined
    ? []
    : [warningAt(node.offset, 'the slashes are part of the pattern', `write it as '${inside}'`)]
}

function dateFaults(node: Node, beside: Kind): Fault[] {
  if (!isTemporal(beside) || node.kind !== 'literal' || typeof node.value !== 'string') return []
  if (readInstant(node.value) !== undefined) return []
  return [
    warningAt(
      node.offset,
      `'${node.value}' is no date`,
      "write it as '2026-01-31' or '2026-01-31T12:00:00Z'",
    ),
  ]
}

/** What the kinds of two operands tell of their operation. */
interface Operands {
  /** Whether values of these kinds can be operated on; if not, the result is always null or always false. */
  fits(left: Kind, right: Kind): boolean
  /** What is wanted, in words. */
  readonly wants: string
  /** The kind of the result. */
  gives(left: Kind, right: Kind): Kind
}

const open = (kind: Kind): boolean => kind === 'unknown' || kind === 'null'
const isNumeric = (kind: Kind): boolean => open(kind) || kind === 'number'
const isTextual = (kind: Kind): boolean => open(kind) || kind === 'text' || isTemporal(kind)
const isCondition = (kind: Kind): boolean => open(kind) || kind === 'boolean'

const both =
  (fits: (kind: Kind) => boolean): Operands['fits'] =>
  (left, right) =>
    fits(left) && fits(right)

const numbers = both(isNumeric)
const texts = both(isTextual)
const boolean = (): Kind => 'boolean'

const CONDITIONS: Operands = { fits: both(isCondition), wants: 'two conditions', gives: boolean }
/** A date may be equal to another date or to a text that reads as one. */
const EQUAL: Operands = {
  fits: (left, right) => open(left) || open(right) || left === right || texts(left, right),
  wants: 'two values of one type',
  gives: boolean,
}
const ORDERED: Operands = {
  fits: (left, right) => numbers(left, right) || texts(left, right),
  wants: 'two numbers, texts or dates',
  gives: boolean,
}
const MEMBERSHIP: Operands = {
  fits: (_, right) => open(right) || right === 'list',
  wants: 'a list on its right',
  gives: boolean,
}
const TEXTS: Operands = { fits: texts, wants: 'two texts', gives: boolean }
const NUMBERS: Operands = { fits: numbers, wants: 'two numbers', gives: () => 'number' }

/** What each operator wants and gives. */
const OPERANDS: Readonly<Record<BinaryOperator, Operands>> = {
  '??': { fits: () => true, wants: '', gives: (left, right) => commonKind([left, right]) },
  or: CONDITIONS,
  and: CONDITIONS,
  '==': EQUAL,
  '!=': EQUAL,
  '<': ORDERED,
  '<=': ORDERED,
  '>': ORDERED,
  '>=': ORDERED,
  in: MEMBERSHIP,
  'not in': MEMBERSHIP,
  contains: {
    fits: (left, right) => left === 'list' || texts(left, right) || open(left),
    wants: 'a list on its left, or two texts',
    gives: boolean,
  },
  startsWith: TEXTS,
  endsWith: TEXTS,
  matches: TEXTS,
  '+': {
    fits: ORDERED.fits,
    wants: "two numbers or two texts; 'concat' joins other values, 'addDays' moves a date",
    gives: (left, right) =>
      left === 'number' || right === 'number' ? 'number' : open(left) && open(right) ? 'unknown' : 'text',
  },
  '-': NUMBERS,
  '*': NUMBERS,
  '/': NUMBERS,
  '%': NUMBERS,
}
