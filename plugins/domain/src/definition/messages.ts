import type { z } from 'zod'
import { isList, isMap, type Node } from './document.ts'
import { valueMeant } from './synonyms.ts'

type Issue = z.core.$ZodIssue

/** What is wrong with a value, in plain words, and what would be right. */
export interface Explanation {
  readonly message: string
  readonly hint?: string | undefined
}

/**
 * Explains an issue of a schema by the value that it is about; undefined stands for a missing key. A message
 * that the schema brings itself is kept.
 */
export function explain(issue: Issue, value: Node | undefined): Explanation {
  if (value === undefined) return { message: 'is missing', hint: missingHint(issue) }
  const said = issue.message === '' ? undefined : issue.message
  const plain = EXPLAIN[issue.code](issue as never, value)
  return said === undefined ? plain : { message: said }
}

/** Whether the issue is only that the value is of another type altogether. */
export function isOtherType(issue: Issue): boolean {
  if (issue.path.length > 0) return false
  if (issue.code === 'invalid_union')
    return issue.errors.length > 0 && issue.errors.every((one) => one.some(isOtherType))
  return issue.code === 'invalid_type' || (issue.code === 'invalid_value' && issue.values.length === 1)
}

type Explain<Code extends Issue['code']> = (issue: Extract<Issue, { code: Code }>, value: Node) => Explanation

const EXPLAIN: { readonly [Code in Issue['code']]: Explain<Code> } = {
  invalid_type: (issue, value) => wrongType(issue, value),
  invalid_union: (issue, value) => {
    const kinds = kindsIn(issue)
    return kinds.length > 0 ? oneOf(kinds, value) : wrongType(issue, value)
  },
  invalid_value: ({ values }, value) => oneOf(values.map(String), value),
  too_small: ({ origin, minimum }) => ({ message: boundMessage(origin, 'at least', Number(minimum)) }),
  too_big: ({ origin, maximum }) => ({ message: boundMessage(origin, 'at most', Number(maximum)) }),
  invalid_format: ({ pattern, format }) => ({ message: `must have the form ${pattern ?? format}` }),
  not_multiple_of: ({ divisor }) => ({ message: `must be a multiple of ${divisor}` }),
  unrecognized_keys: () => ({ message: 'is not known here' }),
  invalid_key: () => ({ message: 'The key is not allowed here' }),
  invalid_element: () => ({ message: 'An element is not allowed here' }),
  custom: () => ({ message: 'is not valid' }),
}

function oneOf(known: readonly string[], value: Node): Explanation {
  const meant = typeof value === 'string' ? valueMeant(value, known) : undefined
  const hint = meant === undefined ? undefined : `Did you mean '${meant}'?`
  return { message: `must be ${known.length > 1 ? 'one of ' : ''}${known.join(', ')}`, hint }
}

/** The kinds among which a key chooses, where its value is none of them. */
const kindsIn = (issue: Issue): readonly string[] =>
  issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)
    ? issue.options.map(String)
    : []

/** A key that is missing may be one of a few values. */
function missingHint(issue: Issue): string | undefined {
  const known = issue.code === 'invalid_value' ? issue.values.map(String) : kindsIn(issue)
  return known.length > 1 ? `Write one of ${known.join(', ')}` : undefined
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'null',
}

function wrongType(issue: Issue, value: Node): Explanation {
  const expected = [...new Set(expectedTypes(issue))]
  if (expected.length === 0) return { message: 'has no form that is allowed here' }
  const found = typeName(value, expected)
  return { message: `must be ${expected.join(' or ')}, not ${found}`, hint: typeHint(expected, value) }
}

function expectedTypes(issue: Issue): readonly string[] {
  if (issue.code === 'invalid_type') return [TYPES[issue.expected] ?? issue.expected]
  if (issue.code === 'invalid_value') return issue.values.map(String)
  return issue.code === 'invalid_union' ? issue.errors.flat().filter(isOtherType).flatMap(expectedTypes) : []
}

function typeName(value: Node, expected: readonly string[]): string {
  if (value === null) return 'empty'
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return expected.includes('a whole number') ? String(value) : 'a number'
  if (typeof value === 'string') return 'text'
  return isList(value) ? 'a list' : 'a map'
}

function typeHint(expected: readonly string[], value: Node): string | undefined {
  if (value === null) return 'Give it a value, or leave the key out'
  const wants = (type: string) => expected.includes(type)
  if (typeof value === 'string' && wants('true or false')) return flagHint(value.toLowerCase())
  if (
    typeof value === 'string' &&
    (wants('a number') || wants('a whole number')) &&
    /^-?\d+(\.\d+)?$/.test(value)
  )
    return 'Write it without quotes'
  if (typeof value === 'string' && wants('a list') && !wants('text')) return `Write [${value.slice(0, 40)}]`
  if (!isMap(value) && !isList(value) && typeof value !== 'string' && wants('text'))
    return `Quote it: "${value}"`
  return undefined
}

/** How a word that is meant as a flag is written: `yes` and the like are text with quotes and without. */
function flagHint(word: string): string | undefined {
  if (word === 'true' || word === 'false') return `Write ${word}, without quotes`
  if (['yes', 'on', 'y'].includes(word)) return 'Write true'
  return ['no', 'off', 'n'].includes(word) ? 'Write false' : undefined
}

function boundMessage(origin: string, bound: string, limit: number): string {
  if (origin === 'string')
    return limit === 1 && bound === 'at least'
      ? 'must not be empty'
      : `must have ${bound} ${limit} characters`
  if (origin === 'array' || origin === 'set') {
    if (limit === 1 && bound === 'at least') return 'must not be empty'
    return `must have ${bound} ${limit} items`
  }
  return `must be ${bound} ${limit}`
}
