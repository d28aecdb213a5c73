import { type Caller, isCleanText } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { children, type Node } from './syntax/ast.ts'
import { checkExpression } from './check/check.ts'
import { compileExpression } from './evaluate/compile.ts'
import { FUNCTIONS } from './functions/functions.ts'
import type { Kind } from './values/kind.ts'
import { LIMITS } from './limits.ts'
import { BINARY, type BinaryOperator, isBinaryOperator } from './syntax/operators.ts'
import { parseExpression } from './syntax/parse.ts'
import { print } from './syntax/print.ts'
import type { EvaluationContext, Vocabulary } from './vocabulary.ts'

const FIELDS: readonly (readonly [string, Kind])[] = [
  ['amount', 'number'],
  ['title', 'text'],
  ['done', 'boolean'],
  ['dueOn', 'date'],
  ['createdAt', 'datetime'],
  ['tags', 'list'],
  ['meta', 'unknown'],
]

const vocabulary: Vocabulary = {
  fields: new Map(FIELDS),
  previous: true,
  caller: true,
  ownerField: 'title',
  state: { field: 'title', names: new Set(['draft']) },
  variables: new Map([['event', 'unknown']]),
}

const ODD_NAMES = [
  'record',
  'previous',
  'user',
  'op',
  'missing',
  'toString',
  'constructor',
  '__proto__',
  'id',
  'matches',
]
const names = fc.constantFrom(...FIELDS.map(([name]) => name), ...ODD_NAMES)
const offset = 0
const cleanText = fc.oneof(fc.string({ unit: 'binary' }), fc.string()).filter(isCleanText)
const dates = fc.constantFrom(
  '2026-01-31',
  '2026-02-30',
  '9999-12-31',
  '2026-01-31T12:00:00.000Z',
  'yyyy-MM',
  '{0} {1}',
)
const values = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 2 ** 53),
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
  cleanText,
  dates,
)
const operators = fc.constantFrom<BinaryOperator>(...Object.keys(BINARY).filter(isBinaryOperator))

const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'tree' },
    fc.record({
      kind: fc.constant('literal' as const),
      value: values.filter((value) => typeof value !== 'number' || value >= 0),
      offset: fc.constant(offset),
    }),
    fc.record({ kind: fc.constant('name' as const), name: names, offset: fc.constant(offset) }),
    fc.record({
      kind: fc.constant('variable' as const),
      name: fc.oneof(names, fc.constantFrom('now', 'event')),
      offset: fc.constant(offset),
    }),
    fc.record({
      kind: fc.constant('list' as const),
      items: fc.array(tie('tree'), { maxLength: 3, depthIdentifier: 'tree' }),
      offset: fc.constant(offset),
    }),
    fc.record({
      kind: fc.constant('member' as const),
      of: tie('tree'),
      name: names,
      offset: fc.constant(offset),
    }),
    fc.record({
      kind: fc.constant('index' as const),
      of: tie('tree'),
      index: tie('tree'),
      offset: fc.constant(offset),
    }),
    fc.record({
      kind: fc.constant('call' as const),
      name: fc.constantFrom(...FUNCTIONS.keys(), 'nope'),
      args: fc.array(tie('tree'), { maxLength: 3, depthIdentifier: 'tree' }),
      offset: fc.constant(offset),
    }),
    fc.record({
      kind: fc.constant('unary' as const),
      operator: fc.constantFrom('not' as const, '-' as const),
      of: tie('tree'),
      offset: fc.constant(offset),
    }),
    fc.record({
      kind: fc.constant('binary' as const),
      operator: operators,
      left: tie('tree'),
      right: tie('tree'),
      offset: fc.constant(offset),
    }),
    fc.record({
      kind: fc.constant('conditional' as const),
      test: tie('tree'),
      consequent: tie('tree'),
      alternate: tie('tree'),
      offset: fc.constant(offset),
    }),
  ),
}))

const { json } = fc.letrec<{ json: Value }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    values,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(names, tie('json'), { maxKeys: 4 }),
  ),
}))
const record: fc.Arbitrary<Row> = fc.dictionary(names, json)

const caller: fc.Arbitrary<Caller> = fc.record({
  kind: fc.constantFrom('anonymous' as const, 'user' as const, 'system' as const),
  id: fc.option(fc.string()),
  username: fc.option(fc.string()),
  email: fc.option(fc.string()),
  roles: fc.array(fc.string(), { maxLength: 2 }),
  claims: fc.dictionary(names, json),
})

const context: fc.Arbitrary<EvaluationContext> = fc.record({
  record: fc.option(record),
  previous: fc.option(record),
  user: fc.option(caller, { nil: undefined }),
  op: fc.constantFrom('create', 'update'),
  variables: fc.dictionary(fc.constant('event'), json),
  now: fc.constantFrom(
    () => 0,
    () => Number.NaN,
    () => 1e15,
  ),
})

const evaluate = (ast: Node, given: EvaluationContext): Value =>
  compileExpression(ast, vocabulary, checkExpression(ast, vocabulary).kinds)(given)

const withoutOffsets = (ast: Node): unknown =>
  JSON.parse(JSON.stringify(ast, (key, value: unknown) => (key === 'offset' ? undefined : value)))

const sizeOf = (ast: Node): number => children(ast).reduce((size, child) => size + sizeOf(child), 1)

describe('for every tree', () => {
  it('what is printed parses into an equal tree, and prints the same again', () => {
    fc.assert(
      fc.property(tree, (ast) => {
        const text = print(ast)
        fc.pre(text.length <= LIMITS.characters && sizeOf(ast) <= LIMITS.nodes)
        const parsed = parseExpression(text)
        expect(withoutOffsets(parsed)).toEqual(withoutOffsets(ast))
        expect(print(parsed)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('checking and evaluating never throw, whatever the record holds', () => {
    fc.assert(
      fc.property(tree, context, (ast, given) => {
        const value = evaluate(ast, given)
        expect(value).not.toBeUndefined()
        expect(typeof value === 'number' && !Number.isFinite(value)).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })
})

it('for every text, reading it gives a tree or an error that says where', () => {
  const pieces = fc.array(
    fc.oneof(fc.constantFrom('(', ')', '[', ']', ',', '.', '?', ':', ' ', "'", 'not', 'in'), tree.map(print)),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        pieces.map((parts) => parts.join(' ')),
      ),
      (source) => {
        try {
          parseExpression(source)
        } catch (error) {
          expect(error).toMatchObject({ name: 'ExpressionError' })
          expect(error).toHaveProperty(
            'offset',
            expect.toSatisfy((at: number) => at >= 0 && at <= source.length),
          )
        }
      },
    ),
  )
})

describe('the laws of three-valued logic', () => {
  const not = (of: Node): Node => ({ kind: 'unary', operator: 'not', of, offset })
  const of = (left: Node, operator: BinaryOperator, right: Node): Node => ({
    kind: 'binary',
    operator,
    left,
    right,
    offset,
  })

  const law = (name: string, left: (a: Node, b: Node) => Node, right: (a: Node, b: Node) => Node): void => {
    it(name, () => {
      fc.assert(
        fc.property(tree, tree, context, (a, b, given) => {
          expect(evaluate(left(a, b), given)).toEqual(evaluate(right(a, b), given))
        }),
      )
    })
  }

  law(
    'De Morgan for and',
    (a, b) => not(of(a, 'and', b)),
    (a, b) => of(not(a), 'or', not(b)),
  )
  law(
    'De Morgan for or',
    (a, b) => not(of(a, 'or', b)),
    (a, b) => of(not(a), 'and', not(b)),
  )
  law(
    'the order of an and does not matter',
    (a, b) => of(a, 'and', b),
    (a, b) => of(b, 'and', a),
  )
  law(
    'the order of an or does not matter',
    (a, b) => of(a, 'or', b),
    (a, b) => of(b, 'or', a),
  )
  law(
    '!= is the opposite of ==',
    (a, b) => not(of(a, '==', b)),
    (a, b) => of(a, '!=', b),
  )
  law(
    'not in is the opposite of in',
    (a, b) => not(of(a, 'in', b)),
    (a, b) => of(a, 'not in', b),
  )
  law(
    '== holds both ways',
    (a, b) => of(a, '==', b),
    (a, b) => of(b, '==', a),
  )
  law(
    '< is > the other way round',
    (a, b) => of(a, '<', b),
    (a, b) => of(b, '>', a),
  )
  law(
    '>= is the opposite of <',
    (a, b) => not(of(a, '<', b)),
    (a, b) => of(a, '>=', b),
  )
})
