import type { z } from 'zod'
import { nearest } from './nearest.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** A place in a configuration, and what is wrong with what stands there. */
export interface Words {
  readonly path: string
  readonly message: string
}

/** Says in plain words what `schema` finds wrong with the value at `at`. No value is repeated: it may be a secret. */
export function wordsOf(schema: z.ZodType, value: unknown, at: Path): readonly Words[] {
  // Where the schema brings no words of its own, the message stays empty.
  const { error } = schema.safeParse(value, { reportInput: true, error: () => '' })
  return (error?.issues ?? []).flatMap((issue) => describe(issue, schema, at))
}

function describe(issue: Issue, schema: z.ZodType, at: Path): readonly Words[] {
  const path = [...at, ...issue.path]
  const say = (message: string, where: Path = path) => ({ path: where.map(String).join('.'), message })
  const named = `'${path.map(String).join('.')}'`
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(siteOf(schema, issue.path).schema)
    return issue.keys.map((key) => say(unknownKey([...path, key], key, known), [...path, key]))
  }
  if (issue.code === 'invalid_union') {
    const options = insideOf(siteOf(schema, issue.path).schema).def?.options ?? []
    // Where the value is of the kind of one alternative, what is wrong is wrong in there.
    const meant = issue.errors.findIndex((errors) =>
      errors.every((one) => one.path.length > 0 || !isKind(one)),
    )
    const alternative = options[meant]
    if (alternative) return issue.errors[meant]!.flatMap((one) => describe(one, alternative, path))
  }
  if (issue.message !== '') return [say(`${named} ${issue.message}`)]
  if (issue.input === undefined) return missing(path, siteOf(schema, issue.path), say)
  return [say(`${named} ${PLAIN[issue.code](issue as never)}`)]
}

/** A missing map is told by the keys that it would have to have. */
function missing(
  path: Path,
  { schema, about }: Site,
  say: (message: string, at?: Path) => Words,
): readonly Words[] {
  const needed = schema && insideOf(schema).shape ? wordsOf(schema, {}, path) : []
  if (needed.length > 0) return needed
  return [say(`'${path.map(String).join('.')}' is missing${about === undefined ? '' : ` (${about})`}`)]
}

function unknownKey(path: Path, key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  const others = known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`
  const hint = meant ? `did you mean '${meant}'?` : others
  return `unknown key '${path.map(String).join('.')}' (${hint})`
}

/** Whether the value is of another kind altogether. */
const isKind = ({ code }: Issue): boolean => code === 'invalid_type' || code === 'invalid_value'

type Plain<Code extends Issue['code']> = (issue: Extract<Issue, { code: Code }>) => string

const PLAIN: { readonly [Code in Issue['code']]: Plain<Code> } = {
  invalid_type: (issue) => `must be ${expected(issue)}, not ${typeOf(issue.input)}`,
  invalid_union: (issue) => `must be ${expected(issue)}, not ${typeOf(issue.input)}`,
  invalid_value: (issue) => `must be ${expected(issue)}`,
  too_small: ({ origin, minimum }) => bound(origin, 'at least', Number(minimum)),
  too_big: ({ origin, maximum }) => bound(origin, 'at most', Number(maximum)),
  invalid_format: ({ pattern, format }) => `must have the form ${pattern ?? format}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: () => 'is not known',
  invalid_key: () => 'has a key that is not allowed',
  invalid_element: () => 'has an item that is not allowed',
  custom: () => 'is not valid',
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
}

/** What would be right there. */
function expected(issue: Issue): string {
  return [...new Set(expectations(issue))].join(' or ')
}

function expectations(issue: Issue): readonly string[] {
  if (issue.code === 'invalid_type') return [TYPES[issue.expected] ?? issue.expected]
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value))
  return issue.code === 'invalid_union' ? issue.errors.flat().flatMap(expectations) : []
}

function typeOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a fraction'
  return TYPES[typeof value] ?? typeof value
}

function bound(origin: string, word: string, limit: number): string {
  const isEmpty = word === 'at least' && limit === 1
  if (origin === 'string') return isEmpty ? 'must not be empty' : `must have ${word} ${limit} characters`
  if (origin === 'array') return isEmpty ? 'must not be empty' : `must have ${word} ${limit} items`
  return `must be ${word} ${limit}`
}

/** A place in a schema: what is allowed there, without what is only around it, and what it means. */
interface Site {
  readonly schema: z.ZodType | undefined
  readonly about: string | undefined
}

function siteOf(schema: z.ZodType, path: Path): Site {
  let site = unwrapped(schema)
  for (const key of path) site = unwrapped(innerOf(site.schema, key))
  return site
}

/** What is allowed under a key, of alternatives that of the first that has it. */
function innerOf(schema: z.ZodType | undefined, key: PropertyKey): z.ZodType | undefined {
  const { shape, def } = insideOf(schema)
  const own = shape?.[key] ?? def?.element ?? def?.valueType
  return (
    own ?? def?.options?.map((one) => innerOf(unwrapped(one).schema, key)).find((one) => one !== undefined)
  )
}

/** What a schema is made of, by its kind. */
interface Inside {
  readonly shape?: Readonly<Record<PropertyKey, z.ZodType>>
  readonly description?: string
  readonly def?: {
    readonly innerType?: z.ZodType
    readonly in?: z.ZodType
    readonly element?: z.ZodType
    readonly valueType?: z.ZodType
    readonly options?: readonly z.ZodType[]
  }
}

/** Every schema is one of zod's own kinds, which its base type does not say. */
const insideOf = (schema: z.ZodType | undefined) => (schema ?? {}) as Inside

function unwrapped(schema: z.ZodType | undefined): Site {
  let at = schema
  let about: string | undefined
  for (;;) {
    about ??= at?.description
    const { def } = insideOf(at)
    const inner = def?.innerType ?? def?.in
    if (inner === undefined) return { schema: at, about }
    at = inner
  }
}

function keysOf(schema: z.ZodType | undefined): readonly string[] {
  const { shape, def } = insideOf(schema)
  return shape ? Object.keys(shape) : (def?.options ?? []).flatMap((one) => keysOf(unwrapped(one).schema))
}
