import { ANONYMOUS, type Caller } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { compile } from '../expression.ts'
import type { Kind } from '../values/kind.ts'
import type { EvaluationContext, Vocabulary } from '../vocabulary.ts'
import { defineFunction } from './function.ts'
import { FUNCTIONS } from './functions.ts'

const vocabulary: Vocabulary = {
  fields: new Map<string, Kind>([
    ['n', 'unknown'],
    ['title', 'text'],
    ['status', 'text'],
    ['ownerId', 'text'],
    ['at', 'datetime'],
    ['on', 'date'],
  ]),
  caller: true,
  ownerField: 'ownerId',
  state: { field: 'status', names: new Set(['draft', 'sent']) },
}
const caller = (id: string, ...roles: string[]): Caller => ({
  kind: 'user',
  id,
  username: id,
  email: null,
  roles,
  claims: {},
})
const context: EvaluationContext = {
  record: {
    n: null,
    title: 'Zoë 😀!',
    status: 'draft',
    ownerId: 'u1',
    at: '2026-01-31T23:05:09.042Z',
    on: '2026-01-31',
  },
  user: caller('u1', 'editor', 'author'),
  op: 'update',
  now: () => Date.parse('2026-02-01T12:30:45.678Z'),
}
const evaluate = (source: string, changes: Partial<EvaluationContext> = {}): Value =>
  compile(source, vocabulary).evaluate({ ...context, ...changes })

/** Each function with calls and their values; null arguments among them. */
const CALLS: Readonly<Record<string, readonly (readonly [call: string, value: Value])[]>> = {
  hasRole: [
    ["hasRole('editor')", true],
    ["hasRole('admin')", false],
    ['hasRole(null)', null],
  ],
  hasAnyRole: [
    ["hasAnyRole('admin', 'author')", true],
    ["hasAnyRole(['admin', 'author'])", true],
    ["hasAnyRole('admin', 'x')", false],
    ['hasAnyRole([])', false],
    ['hasAnyRole(null)', null],
  ],
  isAuthenticated: [['isAuthenticated()', true]],
  userId: [['userId()', 'u1']],
  isOwner: [['isOwner()', true]],
  inState: [
    ["inState('draft')", true],
    ["inState('sent')", false],
    ["inState('sent', 'draft')", true],
    ["inState(['sent', 'draft'])", true],
    ['inState(null)', null],
  ],
  field: [
    ["field('status')", 'draft'],
    ["field('n')", null],
  ],
  hasField: [
    ["hasField('status')", true],
    ["hasField('n')", false],
    ["hasField('missing')", false],
  ],
  lower: [
    ["lower('ZOË')", 'zoë'],
    ['lower(n)', null],
    ['lower(1)', null],
  ],
  upper: [
    ["upper('zoë')", 'ZOË'],
    ['upper(null)', null],
  ],
  trim: [
    ["trim('  a b\\n')", 'a b'],
    ['trim(null)', null],
  ],
  length: [
    ['length(title)', 6],
    ["length('')", 0],
    ['length(null)', null],
    ['length([1])', null],
  ],
  concat: [
    ["concat('a', 1, true, 'b')", 'a1trueb'],
    ["concat('a', null)", null],
    ["concat('a', [1])", null],
  ],
  substring: [
    ["substring('hello', 1, 3)", 'ell'],
    ["substring('hello', 3)", 'lo'],
    ["substring('hello', 3, 9)", 'lo'],
    ["substring('hello', 9)", ''],
    ["substring('hello', -1)", null],
    ["substring('hello', 1, -1)", null],
    ["substring('hello', 0.5)", null],
    ['substring(title, 4, 1)', '😀'],
    ['substring(null, 1)', null],
    ["substring('hello', null)", null],
  ],
  replace: [
    ["replace('a.b.c', '.', '$&')", 'a$&b$&c'],
    ["replace('abc', '', 'x')", 'abc'],
    ["replace('abc', 'b', null)", null],
  ],
  split: [
    ["split('a,b,,c', ',')", ['a', 'b', '', 'c']],
    ["split('é😀', '')", ['é', '😀']],
    ["split(null, ',')", null],
  ],
  join: [
    ["join(['a', 1, null, true], ', ')", 'a, 1, true'],
    ["join([], ', ')", ''],
    ["join(['a', 'b'])", 'a,b'],
    ["join([[1]], ', ')", null],
    ["join(null, ', ')", null],
    ["join(['a'], null)", null],
  ],
  format: [
    ["format('{0} of {1}', 1, 'b')", '1 of b'],
    ["format('{1}{0}{1}', 'a', 'b')", 'bab'],
    ["format('{0} {1} {x}', 'a')", 'a {1} {x}'],
    ["format('{0}', '{0}')", '{0}'],
    ["format('plain')", 'plain'],
    ["format('{0}', null)", null],
  ],
  abs: [
    ['abs(-2.5)', 2.5],
    ['abs(null)', null],
    ["abs('1')", null],
  ],
  round: [
    ['round(2.5)', 3],
    ['round(-2.5)', -3],
    ['round(0.49999999999999994)', 0],
    ['round(1.005, 2)', 1.01],
    ['round(-1.005, 2)', -1.01],
    ['round(1e-7, 7)', 1e-7],
    ['round(1e21, 2)', 1e21],
    ['round(1250, -2)', 1300],
    ['round(1.5, 400)', 1.5],
    ['round(1.5, -400)', 0],
    ['round(1.5, 0.5)', null],
    ['round(null)', null],
    ['round(1, null)', null],
  ],
  floor: [
    ['floor(-1.5)', -2],
    ['floor(null)', null],
  ],
  ceil: [
    ['ceil(1.2)', 2],
    ['ceil(null)', null],
  ],
  min: [
    ['min(3, 1, 2)', 1],
    ['min([3, null, 2])', 2],
    ['min([])', null],
    ['min(1, null)', null],
    ["min(1, 'a')", null],
  ],
  max: [
    ['max(3, 1, 2)', 3],
    ['max([3, null, 2], 9)', 9],
    ['max(null)', null],
  ],
  size: [
    ['size([1, null, 2])', 2],
    ['size([])', 0],
    ['size(null)', 0],
    ["size('abc')", null],
  ],
  first: [
    ['first([null, 2, 3])', 2],
    ['first([])', null],
    ['first(null)', null],
  ],
  last: [
    ['last([2, 3, null])', 3],
    ['last([])', null],
  ],
  sum: [
    ['sum([1, null, 2.5])', 3.5],
    ['sum([])', 0],
    ['sum(null)', 0],
    ["sum([1, '2'])", null],
  ],
  avg: [
    ['avg([1, null, 2])', 1.5],
    ['avg([])', null],
    ['avg(null)', null],
  ],
  any: [
    ['any([false, null, true])', true],
    ['any([false, null])', false],
    ['any([])', false],
    ['any([1])', null],
  ],
  all: [
    ['all([true, null, true])', true],
    ['all([true, false])', false],
    ['all([])', true],
    ['all([1])', null],
  ],
  now: [['now()', '2026-02-01T12:30:45.678Z']],
  today: [['today()', '2026-02-01']],
  date: [
    ['date(at)', '2026-01-31'],
    ["date('2026-01-31T23:00:00-02:00')", '2026-02-01'],
    ["date('2026-02-29')", null],
    ["date('0000-01-01')", null],
    ['date(null)', null],
  ],
  year: [
    ['year(at)', 2026],
    ['year(null)', null],
  ],
  month: [['month(on)', 1]],
  day: [['day(at)', 31]],
  hour: [
    ['hour(at)', 23],
    ['hour(on)', 0],
  ],
  addDays: [
    ['addDays(on, 1)', '2026-02-01'],
    ['addDays(at, -31)', '2025-12-31T23:05:09.042Z'],
    ["addDays('2026-01-31', 1)", '2026-02-01'],
    ['addDays(on, 0.5)', null],
    ['addDays(on, 9e15)', null],
    ["addDays('9999-12-31', 1)", null],
    ['addDays(null, 1)', null],
  ],
  addMonths: [
    ['addMonths(on, 1)', '2026-02-28'],
    ["addMonths('2024-01-31', 1)", '2024-02-29'],
    ["addMonths('0099-12-31', 2)", '0100-02-28'],
    ['addMonths(at, -13)', '2024-12-31T23:05:09.042Z'],
    ['addMonths(on, 1e9)', null],
    ['addMonths(on, null)', null],
  ],
  startOf: [
    ["startOf(at, 'hour')", '2026-01-31T23:00:00.000Z'],
    ["startOf(at, 'day')", '2026-01-31T00:00:00.000Z'],
    ["startOf(on, 'hour')", '2026-01-31'],
    ["startOf(on, 'week')", '2026-01-26'],
    ["startOf('2026-02-01', 'week')", '2026-01-26'],
    ["startOf('1969-12-31T23:59:59.999Z', 'hour')", '1969-12-31T23:00:00.000Z'],
    ["startOf('2026-05-31', 'quarter')", '2026-04-01'],
    ["startOf(on, 'month')", '2026-01-01'],
    ["startOf('0099-12-31', 'year')", '0099-01-01'],
    ["startOf('0001-01-03', 'week')", '0001-01-01'],
    ["startOf(on, at ?? 'day')", null],
    ["startOf(null, 'day')", null],
  ],
  daysBetween: [
    ["daysBetween('2026-02-01', '2026-03-01')", 28],
    ["daysBetween('2026-03-01', '2026-02-01')", -28],
    ["daysBetween('2026-02-01T12:00:00Z', '2026-02-02T11:00:00Z')", 0],
    ['daysBetween(on, now())', 1],
    ['daysBetween(on, null)', null],
  ],
  hoursBetween: [
    ["hoursBetween('2026-02-01', '2026-02-02')", 24],
    ["hoursBetween('2026-02-01T01:30:00Z', '2026-02-01T00:00:00Z')", -1],
    ['hoursBetween(null, now())', null],
  ],
  formatDate: [
    ["formatDate(at, 'yyyy-MM-dd HH:mm')", '2026-01-31 23:05'],
    ['formatDate(at, "d.M.yy, EEEE \'at\' h:mm a")', '31.1.26, Saturday at 11:05 PM'],
    ["formatDate(at, \"EEE d MMM y 'o''clock' ''\")", "Sat 31 Jan 2026 o'clock '"],
    ["formatDate(at, 'MMMM MMMMM QQQ Q D SSS X xxx')", 'January J Q1 1 31 042 Z +00:00'],
    ["formatDate(on, 'HH kk hh KK s')", '00 24 12 00 0'],
    ['formatDate(null, "y")', null],
    ["formatDate(at, concat('b', ''))", null],
  ],
  coalesce: [
    ['coalesce(null, n, 0, 1)', 0],
    ['coalesce(null)', null],
  ],
  isNull: [
    ['isNull(n)', true],
    ['isNull(0)', false],
  ],
  isEmpty: [
    ['isEmpty(n)', true],
    ["isEmpty('')", true],
    ['isEmpty([])', true],
    ["isEmpty(' ')", false],
    ['isEmpty(0)', false],
    ['isEmpty([null])', false],
    ['isEmpty(user.claims)', true],
  ],
  if: [
    ['if(1 < 2, 10, 20)', 10],
    ['if(null, 10, 20)', 20],
    ['if(1, 10, 20)', 20],
    ['if(false, 10)', null],
  ],
}

it('every function has a table of calls', () => {
  expect(Object.keys(CALLS).toSorted()).toEqual([...FUNCTIONS.keys()].toSorted())
})

for (const [name, calls] of Object.entries(CALLS)) {
  describe(name, () => {
    it.each(calls)('%s', (call, value) => expect(evaluate(call)).toEqual(value))
  })
}

describe('permission functions', () => {
  it('say no to the anonymous caller', () => {
    for (const call of ["hasRole('editor')", "hasAnyRole('editor')", 'isAuthenticated()', 'isOwner()']) {
      expect(evaluate(call, { user: ANONYMOUS }), call).toBe(false)
    }
    expect(evaluate('userId()', { user: ANONYMOUS })).toBeNull()
  })

  it('know the owner by the owner field, and nobody on create', () => {
    expect(evaluate('isOwner()', { user: caller('u2') })).toBe(false)
    expect(evaluate('isOwner()', { op: 'create' })).toBe(false)
    expect(evaluate('isOwner()', { record: { ownerId: null } })).toBe(false)
    expect(compile('isOwner()', { ...vocabulary, ownerField: undefined }).evaluate(context)).toBe(false)
  })

  it('find no state where there is no record', () => {
    expect(evaluate("inState('draft')", { record: null })).toBe(false)
  })
})

it('a place can have functions of its own, which never stand in for the general ones', () => {
  const twice = defineFunction({ takes: ['number'], gives: 'number', evaluate: ([x]) => 2 * x })
  const local: Vocabulary = { ...vocabulary, functions: new Map(Object.entries({ twice, abs: twice })) }
  expect(compile('twice(abs(-4))', local).evaluate(context)).toBe(8)
})
