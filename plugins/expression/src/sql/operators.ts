import type { ScalarType } from '@svc/store/contract'
import type { Binary, Node } from '../syntax/ast.ts'
import { besideDates } from '../evaluate/binary.ts'
import { isList, isTemporal, type Kind } from '../values/kind.ts'
import type { BinaryOperator } from '../syntax/operators.ts'
import { among, assertInstants, compareInstants, comparePlainly } from './compare.ts'
import { firstOf } from './choice.ts'
import {
  as,
  call,
  constant,
  junction,
  not,
  NULL,
  type Part,
  single,
  type Term,
  type Translation,
  Untranslatable,
} from './term.ts'

type Translate = (node: Binary, left: Part, right: Part) => Translation

/** An operator that takes two values of one type. */
const strict =
  (
    name: 'subtract' | 'multiply' | 'divide' | 'startsWith' | 'endsWith',
    wants: ScalarType,
    gives: ScalarType,
  ): Translate =>
  (_, left, right) => {
    const [a, b] = [single(left), single(right)]
    return {
      type: gives,
      bind: (context) => call(name, as(a.bind(context), wants), as(b.bind(context), wants)),
    }
  }

const logical =
  (op: 'and' | 'or'): Translate =>
  (_, left, right) => {
    const [a, b] = [single(left), single(right)]
    return { type: 'boolean', bind: (context) => junction(op, [a.bind(context), b.bind(context)]) }
  }

type Comparing = 'same' | 'lt' | 'lte' | 'gt' | 'gte'

const comparison =
  (by: Comparing, negated = false): Translate =>
  (node, left, right) => {
    const bind =
      by === 'same' && isNullTest(left, right) ? nullTest(left, right) : compared(by, node, left, right)
    return { type: 'boolean', bind: negated ? (context) => not(bind(context)) : bind }
  }

/** Whether a value is null can be asked of everything. */
const isNullTest = (left: Part, right: Part): boolean =>
  isNullLiteral(left.node) !== isNullLiteral(right.node)

const isNullLiteral = (node: Node): boolean => node.kind === 'literal' && node.value === null

function nullTest(left: Part, right: Part): Part['bind'] {
  const part = isNullLiteral(left.node) ? right : left
  if (part.type === 'list') return () => constant(false)
  return (context) => comparePlainly('same', part.bind(context), NULL)
}

function compared(by: Comparing, node: Binary, left: Part, right: Part): Part['bind'] {
  const kindOf = (of: Node): Kind => (of === node.left ? left.kind : right.kind)
  const dates = besideDates(node, kindOf)
  const [a, b] = [written(left, dates.left), written(right, dates.right)]
  if (dates.asInstants) assertInstants([a, b])
  const compare = dates.asInstants ? compareInstants : comparePlainly
  return (context) => compare(by, a.bind(context), b.bind(context))
}

/** The part, or the date that its text is in this place. */
const written = (part: Part, date: string | undefined): Part =>
  date === undefined ? single(part) : { ...part, bind: () => constant(date) }

const areInstants = (left: Part, right: Part): boolean => isTemporal(left.kind) || isTemporal(right.kind)

const membership =
  (negated: boolean): Translate =>
  (_, left, right) => {
    const bind = among(left, right, areInstants(left, right))
    return { type: 'boolean', bind: negated ? (context) => not(bind(context)) : bind }
  }

const containing: Translate = (_, left, right) => {
  const inList =
    left.type === undefined || left.type === 'list'
      ? among(right, left, areInstants(left, right))
      : () => NULL
  if (left.type === 'list') return { type: 'boolean', bind: inList }
  const [text, part] = [single(left), single(right)]
  return {
    type: 'boolean',
    bind(context) {
      const whole = text.bind(context)
      if (whole.scalar === undefined && isList(whole.value)) return inList(context)
      return call('contains', as(whole, 'text'), as(part.bind(context), 'text'))
    },
  }
}

const sum: Translate = (_, left, right) => {
  const [a, b] = [single(left), single(right)]
  return {
    type: a.type === 'text' || b.type === 'text' ? 'text' : 'number',
    bind: (context) => plus(a.bind(context), b.bind(context)),
  }
}

function plus(a: Term, b: Term): Term {
  const texts = call('concat', as(a, 'text'), as(b, 'text'))
  return texts.scalar === undefined ? call('add', as(a, 'number'), as(b, 'number')) : texts
}

/** A remainder of fractions is no double that both stores agree on. */
const remainder: Translate = (_, left, right) => {
  const [a, b] = [single(left), single(right)]
  for (const part of [a, b]) {
    if (!isWhole(part))
      throw new Untranslatable(
        part.node,
        "in SQL '%' takes whole numbers: integer fields, lengths, parts of dates, or numbers as they are written",
      )
  }
  return {
    type: 'number',
    bind: (context) => call('remainder', as(a.bind(context), 'number'), as(b.bind(context), 'number')),
  }
}

const WHOLE_FUNCTIONS: ReadonlySet<string> = new Set(['length', 'year', 'month', 'day', 'hour'])

function isWhole({ node, type, whole }: Part): boolean {
  if (whole === true || type === 'text' || type === 'boolean') return true
  if (node.kind === 'literal') return !(typeof node.value === 'number') || Number.isSafeInteger(node.value)
  return node.kind === 'call' && WHOLE_FUNCTIONS.has(node.name)
}

const coalesced: Translate = (_, left, right) => firstOf([left, right])

const matching: Translate = (node) => {
  throw new Untranslatable(node, 'patterns differ from store to store')
}

/** How each operator between two operands becomes a scalar. */
export const SQL_OPERATORS: Readonly<Record<BinaryOperator, Translate>> = {
  '??': coalesced,
  or: logical('or'),
  and: logical('and'),
  '==': comparison('same'),
  '!=': comparison('same', true),
  '<': comparison('lt'),
  '<=': comparison('lte'),
  '>': comparison('gt'),
  '>=': comparison('gte'),
  in: membership(false),
  'not in': membership(true),
  contains: containing,
  startsWith: strict('startsWith', 'text', 'boolean'),
  endsWith: strict('endsWith', 'text', 'boolean'),
  matches: matching,
  '+': sum,
  '-': strict('subtract', 'number', 'number'),
  '*': strict('multiply', 'number', 'number'),
  '/': strict('divide', 'number', 'number'),
  '%': remainder,
}
