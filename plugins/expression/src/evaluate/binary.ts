import type { Binary, Node } from '../syntax/ast.ts'
import { type Compile, constant, type Evaluate, NULL } from './closure.ts'
import { readInstant, writeInstant } from '../values/instant.ts'
import { isTemporal, type Kind } from '../values/kind.ts'
import type { BinaryOperator } from '../syntax/operators.ts'
import { compilePattern } from '../values/pattern.ts'
import {
  and,
  type Comparison,
  COMPARISONS,
  INSTANT_COMPARISONS,
  type Operation,
  OPERATIONS,
  or,
} from '../values/semantics.ts'

type Compiler = (node: Binary, compile: Compile, kindOf: (node: Node) => Kind) => Evaluate

const operation =
  (operate: Operation): Compiler =>
  ({ left, right }, compile) =>
    both(operate, compile(left), compile(right))

const both =
  (operate: Operation, left: Evaluate, right: Evaluate): Evaluate =>
  (context) =>
    operate(left(context), right(context))

/** Values of one kind compare as they are, dates too, since their texts are canonical. */
const comparison =
  (name: Comparison): Compiler =>
  (node, compile, kindOf) => {
    const { left, right, asInstants } = besideDates(node, kindOf)
    return both(
      (asInstants ? INSTANT_COMPARISONS : COMPARISONS)[name],
      left === undefined ? compile(node.left) : constant(left),
      right === undefined ? compile(node.right) : constant(right),
    )
  }

/**
 * How the two sides of a comparison meet: a text that is written beside a date is that date, in canonical form, and
 * different kinds of dates are compared as instants.
 */
export function besideDates(
  { left, right }: Pick<Binary, 'left' | 'right'>,
  kindOf: (node: Node) => Kind,
): { readonly left: string | undefined; readonly right: string | undefined; readonly asInstants: boolean } {
  const [a, b] = [canonicalDate(left, kindOf(right)), canonicalDate(right, kindOf(left))]
  const kinds = [
    a === undefined ? kindOf(left) : kindOf(right),
    b === undefined ? kindOf(right) : kindOf(left),
  ]
  return { left: a, right: b, asInstants: kinds.some(isTemporal) && kinds[0] !== kinds[1] }
}

/** The members of a list have no kind of their own: beside a date they are read as dates. */
const membership =
  (name: Comparison): Compiler =>
  ({ left, right }, compile, kindOf) => {
    const asInstants = isTemporal(kindOf(left)) || isTemporal(kindOf(right))
    return both((asInstants ? INSTANT_COMPARISONS : COMPARISONS)[name], compile(left), compile(right))
  }

/** A text that stands beside a date or date-time, in the canonical form of that kind. */
function canonicalDate(node: Node, beside: Kind): string | undefined {
  if (!isTemporal(beside) || node.kind !== 'literal') return undefined
  const read = readInstant(node.value)
  if (read === undefined || (beside === 'date' && !read.dateOnly)) return undefined
  return writeInstant({ at: read.at, dateOnly: beside === 'date' })
}

/** The right side is worked out only where the left side does not decide. */
const disjunction: Compiler = ({ left, right }, compile) => {
  const [first, second] = [compile(left), compile(right)]
  return (context) => {
    const value = first(context)
    return value === true ? true : or(value, second(context))
  }
}

const conjunction: Compiler = ({ left, right }, compile) => {
  const [first, second] = [compile(left), compile(right)]
  return (context) => {
    const value = first(context)
    return value === false ? false : and(value, second(context))
  }
}

const fallback: Compiler = ({ left, right }, compile) => {
  const [first, second] = [compile(left), compile(right)]
  return (context) => first(context) ?? second(context)
}

function matching({ left, right }: Binary, compile: Compile): Evaluate {
  const pattern =
    right.kind === 'literal' && typeof right.value === 'string' ? compilePattern(right.value) : ''
  if (typeof pattern === 'string') return NULL
  const of = compile(left)
  return (context) => {
    const text = of(context)
    return typeof text === 'string' ? pattern.isIn(text) : null
  }
}

/** How each operator between two operands becomes a closure. */
export const COMPILERS: Readonly<Record<BinaryOperator, Compiler>> = {
  '??': fallback,
  or: disjunction,
  and: conjunction,
  '==': comparison('=='),
  '!=': comparison('!='),
  '<': comparison('<'),
  '<=': comparison('<='),
  '>': comparison('>'),
  '>=': comparison('>='),
  in: membership('in'),
  'not in': membership('not in'),
  contains: membership('contains'),
  startsWith: operation(OPERATIONS.startsWith),
  endsWith: operation(OPERATIONS.endsWith),
  matches: matching,
  '+': operation(OPERATIONS['+']),
  '-': operation(OPERATIONS['-']),
  '*': operation(OPERATIONS['*']),
  '/': operation(OPERATIONS['/']),
  '%': operation(OPERATIONS['%']),
}
