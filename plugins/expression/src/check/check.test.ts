import { describe, expect, it } from 'vitest'
import { checkExpression } from './check.ts'
import type { Fault } from '../fault.ts'
import type { Kind } from '../values/kind.ts'
import { parseExpression } from '../syntax/parse.ts'
import type { Vocabulary } from '../vocabulary.ts'

const vocabulary: Vocabulary = {
  fields: new Map<string, Kind>([
    ['amount', 'number'],
    ['title', 'text'],
    ['done', 'boolean'],
    ['status', 'text'],
    ['tags', 'list'],
    ['meta', 'unknown'],
    ['dueOn', 'date'],
    ['createdAt', 'datetime'],
  ]),
  previous: true,
  caller: true,
  state: { field: 'status', names: new Set(['draft', 'published']) },
  choices: new Map([['status', new Set(['draft', 'published'])]]),
  variables: new Map([['event', 'object']]),
}

const faultsOf = (source: string, place: Vocabulary = vocabulary): readonly Fault[] =>
  checkExpression(parseExpression(source), place).faults

describe('an expression is refused', () => {
  it.each<[string, number, string, string | undefined]>([
    ['amout > 1', 0, "'amout' is not known here", "did you mean 'amount'?"],
    ['1 + record.titel', 10, "there is no field 'titel'", "did you mean 'title'?"],
    ["previous['x']", 8, "there is no field 'x'", undefined],
    ['record.constructor', 6, "there is no field 'constructor'", undefined],
    ['$evnt.x', 0, "'$evnt' is not known here", "did you mean '$event'?"],
    [
      'user.usrname',
      4,
      "'user' has id, username, name, email, role, roles, claims",
      "did you mean 'username'?",
    ],
    ['hasrole("x")', 0, "there is no function 'hasrole'", "did you mean 'hasRole'?"],
    ['round()', 0, "'round' takes 1 to 2 arguments, not 0", undefined],
    ['now(1)', 0, "'now' takes no arguments, not 1", undefined],
    ['concat()', 0, "'concat' takes 1 or more arguments, not 0", undefined],
    ['record', 0, "'record' cannot be taken as a whole", 'name one of its fields, as in record.title'],
    ['coalesce(previous, record).title', 9, "'previous' cannot be taken as a whole", undefined],
    ['record[title]', 6, "a field of 'record' has to be named", 'write it as record.title'],
    ['field(title)', 0, "'field' needs the field's name as a text", "write it as field('title')"],
    ["hasField(concat('a', 'b'))", 0, "'hasField' needs the field's name as a text", undefined],
    ["field('titel')", 6, "there is no field 'titel'", "did you mean 'title'?"],
    ["inState('drafts')", 8, "there is no state 'drafts'", "did you mean 'draft'?"],
    ["inState(['draft', 'x'])", 18, "there is no state 'x'", undefined],
    ['title matches title', 14, "'matches' needs its pattern as a text", undefined],
    ["title matches '(a'", 14, 'the pattern cannot be used', undefined],
    ["title matches '(?=a)'", 14, 'the pattern cannot be used', undefined],
    [`title matches '${'(a{200}){5}b'.repeat(2)}'`, 14, 'the pattern cannot be used', undefined],
    [`title matches '${'a'.repeat(1_001)}'`, 14, 'the pattern cannot be used', undefined],
    ["formatDate(dueOn, 'YYYY')", 18, "'YYYY' means nothing in a date format", undefined],
  ])('%s', (source, offset, message, hint) => {
    const [fault] = faultsOf(source)
    expect(fault).toMatchObject({ severity: 'error', offset, ...(hint === undefined ? {} : { hint }) })
    expect(fault?.message).toContain(message)
  })
})

describe('an expression is doubted', () => {
  it.each<[string, number]>([
    ["amount == 'x'", 7],
    ['done > false', 5],
    ['1 < amount < 5', 11],
    ['title + amount', 6],
    ['title - 1', 6],
    ['amount and done', 7],
    ['not amount', 0],
    ['-title', 0],
    ["'a' in title", 4],
    ['amount contains 1', 7],
    ["amount startsWith 'a'", 7],
    ['amount ? 1 : 2', 7],
    ['title.length', 5],
    ['amount[0]', 6],
    ['tags[done]', 5],
    ['lower(amount)', 6],
    ["round(1, 'a')", 9],
    ['addDays(dueOn, 1.5)', 15],
    ["year('2026-02-30')", 5],
    ["createdAt > 'soon'", 12],
    ["hasField('x')", 9],
  ])('%s', (source, offset) => {
    expect(faultsOf(source)).toMatchObject([{ severity: 'warning', offset }])
  })
})

describe('a text that a field never holds is doubted', () => {
  const inside = {
    ...vocabulary,
    names: new Map([['status', 'text' as const]]),
  }

  it.each<[string, number, string]>([
    ["status == 'drft'", 10, "did you mean 'draft'?"],
    ["'Draft' != record.status", 0, "did you mean 'draft'?"],
    ["$previous['status'] == 'x'", 23, 'it is one of draft, published'],
    ["status in ['draft', 'publishd', title, 1]", 20, "did you mean 'published'?"],
    ["done and status not in ['x']", 24, 'it is one of draft, published'],
  ])('%s', (source, offset, hint) => {
    const message = expect.stringContaining("is no value of 'status'")
    expect(faultsOf(source)).toEqual([{ severity: 'warning', offset, message, hint }])
  })

  it.each([
    "status == 'draft' or status in ['draft', 'published'] or status == null or status == title",
    "status contains 'pub' and lower(status) == 'DRAFT' and (status ?? 'none') == 'none' and title == 'drft'",
  ])('and not: %s', (source) => expect(faultsOf(source)).toEqual([]))

  it('where it is the field', () => {
    expect(faultsOf("status == 'x'", inside)).toEqual([])
    expect(faultsOf("record.status == 'x'", inside)).toHaveLength(1)
  })
})

it.each([
  'amount > 1 and title contains "a" or not done',
  "dueOn < createdAt and createdAt >= '2026-01-01' and dueOn != today()",
  'meta.a.b[0] > 1 and lower(meta.name) == title',
  'previous == null or previous.status != status or isNull(record)',
  "hasAnyRole(['a', 'b']) and user.claims.x in tags and $event.a == 1",
  'title == null and coalesce(null, amount) > 0 and (null ?? done)',
  "formatDate(createdAt, 'yyyy-MM-dd')",
])('nothing speaks against %s', (source) => expect(faultsOf(source)).toEqual([]))

describe('a place without', () => {
  it.each<[string, string, Vocabulary]>([
    ['a record', 'record.title', { caller: true }],
    ['a record', "field('title')", { caller: true }],
    ['a record', 'title', { caller: true }],
    ['a previous record', 'previous.title', { ...vocabulary, previous: false }],
    ['a caller', 'user.id', { ...vocabulary, caller: false }],
    ['a caller', '$user.id', { ...vocabulary, caller: false }],
    ['a caller', 'op', { ...vocabulary, caller: false }],
    ['a caller', "hasRole('x')", { ...vocabulary, caller: false }],
    ['a caller', 'isOwner()', { ...vocabulary, caller: false }],
    ['a state machine', "inState('draft')", { ...vocabulary, state: undefined }],
  ])('%s refuses %s', (_, source, place) => {
    expect(faultsOf(source, place)).toMatchObject([{ severity: 'error' }])
  })
})

it('reports all faults together', () => {
  expect(faultsOf("a1 + b1 == f1(c1, 'x') and amount == 'x'")).toHaveLength(5)
})
