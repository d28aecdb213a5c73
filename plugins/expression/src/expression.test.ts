import { ANONYMOUS, type Caller, SYSTEM } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { compile, holds } from './expression.ts'
import { ExpressionError } from './fault.ts'
import type { Kind } from './values/kind.ts'
import { LIMITS } from './limits.ts'
import { parseExpression } from './syntax/parse.ts'
import { print } from './syntax/print.ts'
import type { EvaluationContext, Vocabulary } from './vocabulary.ts'

const ana: Caller = {
  kind: 'user',
  id: 'u1',
  username: 'ana',
  email: 'ana@example.com',
  roles: ['editor', 'author'],
  claims: { departmentId: 7, teams: ['a', 'b'] },
}

const record = {
  title: 'Zoë 😀',
  amount: 120,
  zero: 0,
  nothing: null,
  done: true,
  open: false,
  tags: ['a', 'b', null],
  meta: { deep: { list: [1, { x: 'y' }] }, 'a b': 1 },
  dueOn: '2026-03-01',
  createdAt: '2026-03-01T00:00:00.000Z',
  status: 'draft',
  createdById: 'u1',
  user: 'a field named like a root',
}

const fields = new Map<string, Kind>([
  ['title', 'text'],
  ['amount', 'number'],
  ['zero', 'number'],
  ['nothing', 'unknown'],
  ['done', 'boolean'],
  ['open', 'boolean'],
  ['tags', 'list'],
  ['meta', 'unknown'],
  ['dueOn', 'date'],
  ['createdAt', 'datetime'],
  ['status', 'text'],
  ['createdById', 'text'],
  ['user', 'text'],
  ['toString', 'text'],
])

const vocabulary: Vocabulary = {
  fields,
  previous: true,
  caller: true,
  ownerField: 'createdById',
  state: { field: 'status', names: new Set(['draft', 'published']) },
  parameters: new Map([['limit', 'number']]),
  variables: new Map([['event', 'unknown']]),
}

const context: EvaluationContext = {
  record,
  previous: { ...record, amount: 100 },
  user: ana,
  op: 'update',
  parameters: { limit: 5 },
  variables: { event: { record: { size: 3 } } },
  now: () => Date.parse('2026-03-02T12:30:00Z'),
}

const evaluate = (source: string, changes: Partial<EvaluationContext> = {}): Value =>
  compile(source, vocabulary).evaluate({ ...context, ...changes })

describe('names', () => {
  it.each<[string, Value]>([
    ['amount', 120],
    ['record.amount', 120],
    ["record['amount']", 120],
    ['$record.amount', 120],
    ['previous.amount', 100],
    ['$previous.amount', 100],
    ['op', 'update'],
    ['$op', 'update'],
    ['limit', 5],
    ['$event.record.size', 3],
    ['$event.record.missing.deeper', null],
    ['user.id', 'u1'],
    ['$user.id', 'u1'],
    ['user.username', 'ana'],
    ['user.email', 'ana@example.com'],
    ['user.role', 'editor'],
    ['user.roles', ['editor', 'author']],
    ['user.claims.departmentId', 7],
    ["user.claims['teams'][1]", 'b'],
    ['record.user', 'a field named like a root'],
    ['$now', '2026-03-02T12:30:00.000Z'],
    ['meta.deep.list[1].x', 'y'],
    ["meta['a b']", 1],
    ['previous == null', false],
    ['isNull(record)', false],
  ])('%s', (source, value) => expect(evaluate(source)).toEqual(value))

  it('are null where the place brings nothing for them', () => {
    const empty = { now: () => 0 }
    for (const source of [
      'amount',
      'record.amount',
      'previous.amount',
      'user.id',
      'user',
      'op',
      'limit',
      '$event.x',
    ]) {
      expect(compile(source, vocabulary).evaluate(empty), source).toBeNull()
    }
    expect(compile('previous == null and isNull(record)', vocabulary).evaluate(empty)).toBe(true)
  })

  it('read an anonymous caller as null and the system as a caller', () => {
    expect(evaluate('user == null and user.roles == null', { user: ANONYMOUS })).toBe(true)
    expect(evaluate('user.username', { user: SYSTEM })).toBe('system')
  })

  it('reach own properties alone', () => {
    const bare = { meta: { list: [1] }, title: 'x' }
    for (const source of [
      'toString',
      'record.toString',
      "field('toString')",
      'meta.constructor',
      'meta.__proto__',
      "meta['__proto__']['constructor']",
      'meta.list.length',
      'meta.hasOwnProperty',
      'user.claims.constructor',
      '$event.constructor',
      'title.length',
      "['a'].map",
    ]) {
      expect(evaluate(source, { record: bare }), source).toBeNull()
    }
  })
})

describe('comparisons', () => {
  it.each<[string, Value]>([
    ['1 == 1.0', true],
    ["'a' == 'a'", true],
    ["'a' == 'A'", false],
    ['null == null', true],
    ['null == 1', false],
    ['null != 1', true],
    ['nothing == null', true],
    ['nothing != null', false],
    ["1 == '1'", false],
    ["1 != '1'", true],
    ['true == 1', false],
    ["[1, 'a', null] == [1, 'a', null]", true],
    ['[1, 2] == [2, 1]', false],
    ['meta == meta', true],
    ['meta.deep == previous.meta.deep', true],
    ['meta.deep == meta', false],
    ['[1] == 1', false],
    ['1 < 2', true],
    ['2 <= 2', true],
    ['3 > 2', true],
    ['2 >= 3', false],
    ["'a' < 'b'", true],
    ["'Z' < 'a'", true],
    ["'a' < 'ab'", true],
    ["'\\u{FFFD}' < '\\u{1F600}'", true],
    ["'x\\u{1F600}' > 'x\\u{FFFD}'", true],
    ['null < 1', null],
    ['1 >= null', null],
    ['null < null', null],
    ["1 < '2'", null],
    ['true > false', null],
    ['[1] < [2]', null],
  ])('%s', (source, value) => expect(evaluate(source)).toBe(value))

  it.each<[string, Value]>([
    ["dueOn == '2026-03-01'", true],
    ["dueOn < '2026-03-02'", true],
    ["dueOn == '2026-03-01T00:00:00Z'", true],
    ["dueOn < '2026-03-01T00:00:01Z'", true],
    ['dueOn == createdAt', true],
    ['createdAt <= dueOn', true],
    ["createdAt == '2026-03-01'", true],
    ["createdAt > '2026-02-28'", true],
    ["createdAt == '2026-03-01T02:00:00+02:00'", true],
    ["'2026-03-01T02:00:00+02:00' == createdAt", true],
    ["createdAt in ['2026-01-01', '2026-03-01']", true],
    ["createdAt not in ['2026-01-01']", true],
    ["['2026-03-01'] contains createdAt", true],
    ['$now > createdAt', true],
    ['today() > dueOn', true],
    ['addDays(dueOn, 1) == today()', true],
    ["createdAt == 'soon'", false],
    ["createdAt < 'soon'", null],
    ["createdAt != '2026-02-30'", true],
    ['createdAt == null', false],
    ['createdAt < null', null],
    ["'2026-03-01' == '2026-03-01T00:00:00.000Z'", false],
  ])('of dates: %s', (source, value) => expect(evaluate(source)).toBe(value))
})

describe('membership and texts', () => {
  it.each<[string, Value]>([
    ["'a' in tags", true],
    ["'c' in tags", false],
    ['null in tags', true],
    ['null in [1]', false],
    ["'1' in [1]", false],
    ['[1] in [[1], [2]]', true],
    ["'a' in nothing", null],
    ["'a' in 'abc'", null],
    ["'c' not in tags", true],
    ["'a' not in tags", false],
    ["'a' not in nothing", null],
    ["tags contains 'b'", true],
    ['tags contains null', true],
    ['tags contains 1', false],
    ["nothing contains 'b'", null],
    ["title contains 'oë'", true],
    ["title contains ''", true],
    ['title contains null', null],
    ['title contains 1', null],
    ["title startsWith 'Zo'", true],
    ["title startsWith 'zo'", false],
    ["title endsWith '😀'", true],
    ["nothing startsWith 'a'", null],
    ['title endsWith null', null],
    ['amount startsWith 1', null],
    ["title matches '^Zo. '", true],
    ["title matches '(?i)ZOË'", true],
    ["title matches '^o'", false],
    ["nothing matches 'a'", null],
    ["amount matches '1'", null],
  ])('%s', (source, value) => expect(evaluate(source)).toBe(value))
})

describe('arithmetic', () => {
  it.each<[string, Value]>([
    ['1 + 2 * 3', 7],
    ['-amount', -120],
    ['7 - 10', -3],
    ['7 / 2', 3.5],
    ['7 % 4', 3],
    ['-7 % 4', -3],
    ['1 / 0', null],
    ['1 % 0', null],
    ['0 / 0', null],
    ['1 / -zero', null],
    ['1e308 * 10', null],
    ['null + 1', null],
    ['1 - nothing', null],
    ['-nothing', null],
    ["'a' + 'b'", 'ab'],
    ["'a' + 1", null],
    ["'a' + null", null],
    ["'2' * 2", null],
    ['-done', null],
    ['[1] + [2]', null],
  ])('%s', (source, value) => expect(evaluate(source)).toBe(value))
})

describe('logic has three values', () => {
  const values = ['true', 'false', 'null']
  const table = (operator: string): Value[][] =>
    values.map((a) => values.map((b) => evaluate(`${a} ${operator} ${b}`)))

  it('and', () => {
    expect(table('and')).toEqual([
      [true, false, null],
      [false, false, false],
      [null, false, null],
    ])
  })

  it('or', () => {
    expect(table('or')).toEqual([
      [true, true, true],
      [true, false, null],
      [true, null, null],
    ])
  })

  it('not', () => expect(values.map((value) => evaluate(`not ${value}`))).toEqual([false, true, null]))

  it('a value that is no truth value is unknown', () => {
    expect(
      ['1 and true', "'a' or false", 'not 1', '1 or true', '0 and false'].map((one) => evaluate(one)),
    ).toEqual([null, null, null, true, false])
  })

  it.each<[string, Value]>([
    ['true ? 1 : 2', 1],
    ['false ? 1 : 2', 2],
    ['null ? 1 : 2', 2],
    ['1 ? 1 : 2', 2],
    ['nothing ?? 1', 1],
    ['zero ?? 1', 0],
    ['open ?? true', false],
    ['nothing ?? null', null],
  ])('%s', (source, value) => expect(evaluate(source)).toBe(value))

  it('a condition holds only where it is exactly true', () => {
    expect([true, false, null, 1, 'true', [true]].map((value) => holds(value))).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ])
    expect(compile('amount > 100', vocabulary).holds(context)).toBe(true)
    expect(compile('amount > nothing', vocabulary).holds(context)).toBe(false)
  })
})

describe('parts', () => {
  it.each<[string, Value]>([
    ['tags[0]', 'a'],
    ['tags[2]', null],
    ['tags[3]', null],
    ['tags[-1]', null],
    ['tags[0.5]', null],
    ['tags[nothing]', null],
    ["tags['length']", null],
    ['title[2]', 'ë'],
    ['title[4]', '😀'],
    ['title[5]', null],
    ['nothing[0]', null],
    ['nothing.a.b', null],
    ['amount[0]', null],
    ['[1, amount, null][1]', 120],
  ])('%s', (source, value) => expect(evaluate(source)).toEqual(value))
})

describe('an expression that is compiled for a place', () => {
  it('tells the fields that it reads', () => {
    const read = (source: string): string[] => [...compile(source, vocabulary).fields].toSorted()
    expect(read("amount > 1 and record.title == previous.status or field('dueOn') == null")).toEqual([
      'amount',
      'dueOn',
      'status',
      'title',
    ])
    expect(read("isOwner() and inState('draft') and hasField('tags')")).toEqual([
      'createdById',
      'status',
      'tags',
    ])
    expect(read('user.id == $event.amount and limit > 1')).toEqual([])
  })

  it('tells the kind of its value', () => {
    const kindOf = (source: string): Kind => compile(source, vocabulary).kind
    expect(kindOf('amount * 2')).toBe('number')
    expect(kindOf("title + '!'")).toBe('text')
    expect(kindOf('addDays(dueOn, 1)')).toBe('date')
    expect(kindOf('addDays(createdAt, 1) ?? now()')).toBe('datetime')
    expect(kindOf('amount > 1')).toBe('boolean')
    expect(kindOf('done ? 1 : title')).toBe('unknown')
    expect(kindOf('coalesce(null, title)')).toBe('text')
  })

  it('is refused with everything that is wrong with it', () => {
    const refused = (): unknown => compile('amout > 1 and hasRol(2) and abs()', vocabulary)
    expect(refused).toThrow(ExpressionError)
    expect(refused).toThrow(
      "'amout' is not known here at character 1 (did you mean 'amount'?); " +
        "there is no function 'hasRol' at character 15 (did you mean 'hasRole'?); " +
        "'abs' takes 1 argument, not 0 at character 29",
    )
  })

  it('keeps warnings and still works', () => {
    const doubtful = compile("amount == 'x'", vocabulary)
    expect(doubtful.warnings).toMatchObject([{ severity: 'warning', offset: 7 }])
    expect(doubtful.evaluate(context)).toBe(false)
  })
})

describe('hostile input', () => {
  it('cannot make a text grow without end', () => {
    const big = 'x'.repeat(LIMITS.text)
    const grown = { record: { ...record, title: big } }
    for (const source of [
      'title + title',
      "concat(title, 'y')",
      "replace(title, 'x', 'yy')",
      "join([title, title], '')",
      "format('{0}{0}{0}', title)",
      `format('${'{0}'.repeat(3_000)}', title)`,
      "split(title, '')",
      "split(title, 'x')",
    ]) {
      expect(evaluate(source, grown), source).toBeNull()
    }
    expect(evaluate("length(replace(title, 'x', 'y'))", grown)).toBe(LIMITS.text)
  })

  it('cannot have its functions look at long texts again and again', () => {
    const long = { record: { ...record, title: 'x'.repeat(LIMITS.text) } }
    const nested = (times: number) => `${'replace('.repeat(times)}title${", 'x', 'x')".repeat(times)}`
    expect(evaluate(`length(${nested(2)})`, long)).toBe(LIMITS.text)
    expect(evaluate(`length(${nested(20)})`, long)).toBeNull()
    const many = Array.from({ length: 20 }, () => 'length(title)').join('+')
    expect(evaluate(many, long)).toBeNull()
    expect(evaluate(many, { record: { ...record, title: 'x'.repeat(1000) } })).toBe(20_000)
    expect(
      evaluate(`${Array.from({ length: 40 }, () => "title matches '(ab?){50}c'").join(' or ')}`, long),
    ).not.toBe(true)
    // Each evaluation has all of it.
    expect(evaluate(`length(${nested(2)})`, long)).toBe(LIMITS.text)
  })

  it('cannot make a pattern take exponential time', () => {
    const text = { record: { ...record, title: 'a'.repeat(100_000) } }
    expect(evaluate("title matches '^(a+)+$'", text)).toBe(true)
    expect(evaluate("title matches '^(a|aa)+b$'", text)).toBe(false)
    expect(evaluate("title matches '(a{0,200}){2}b'", text)).not.toBe(true)
  })

  it('cannot exhaust the stack with a tree as high as a tree can be', () => {
    expect(evaluate(Array(LIMITS.height).fill('zero').join('+'))).toBe(0)
    expect(evaluate(`meta${'.a'.repeat(LIMITS.height - 1)}`)).toBeNull()
    expect(() => print(parseExpression(Array(LIMITS.height).fill('zero').join('+')))).not.toThrow()
  })

  it('cannot exhaust the stack with values that are nested without end', () => {
    const nested = (): Value => Array.from({ length: 20_000 }).reduce<Value>((inner) => [inner], 1)
    expect(evaluate('meta == $event', { record: { meta: nested() }, variables: { event: nested() } })).toBe(
      false,
    )
  })
})
