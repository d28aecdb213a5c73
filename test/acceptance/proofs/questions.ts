import fc from 'fast-check'
import type { TestAnswer } from '../../kit/request.ts'
import { size } from '../../kit/size.ts'
import type { Question } from './twins.ts'

/** What the parameters of a query are made from; names that nothing has may be among the others. */
export interface Vocabulary {
  readonly fields: readonly string[]
  readonly relationships: readonly string[]
  readonly values: fc.Arbitrary<string>
}

type Parameter = [name: string, value: string]

/** Every how many of the questions along relationships is asked. */
const ALONG = size('PROOF_ALONG', { smoke: 4, whole: 1 })

const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'in', 'null', 'odd']

/** One to four of some names, joined by commas. */
export const listOf = (names: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(names, { minLength: 1, maxLength: 4 }).map((all) => all.join(','))

/** Query strings with every parameter that a list knows, and some that it does not. */
export function queries({ fields, relationships, values }: Vocabulary): fc.Arbitrary<string> {
  const field = fc.constantFrom(...fields)
  const sort = fc.tuple(fc.boolean(), field).map(([descending, name]) => (descending ? `-${name}` : name))
  const named = (name: string, value: fc.Arbitrary<string>) => value.map((one): Parameter => [name, one])
  const filter = fc
    .record({ field, operator: fc.option(fc.constantFrom(...OPERATORS)), value: values })
    .map((one): Parameter => {
      const operator = one.operator === null ? '' : `[${one.operator}]`
      return [`filter[${one.field}]${operator}`, one.value]
    })
  const parameter = fc.oneof(
    { weight: 4, arbitrary: filter },
    named('sort', listOf(sort)),
    named('fields', listOf(field)),
    named('include', listOf(fc.constantFrom(...relationships))),
    named('search', values),
    named('field', field),
    fc.constantFrom<Parameter>(
      ['scope', 'all'],
      ['scope', 'deleted'],
      ['scope', 'odd'],
      ['limit', '2'],
      ['page', '2'],
      ['offset', '1'],
      ['cursor', ''],
      ['userId', 'x'],
      ['event', 'made'],
    ),
  )
  return fc
    .array(parameter, { maxLength: 4 })
    .map((all) => (all.length === 0 ? '' : `?${new URLSearchParams(all).toString()}`))
}

/** Reading requests; one in ten asks for strict handling. */
export const reads = (path: fc.Arbitrary<string>, query: fc.Arbitrary<string>): fc.Arbitrary<Question> =>
  fc.record({ path, query, strict: fc.integer({ min: 0, max: 9 }) }).map((one) => ({
    method: 'GET',
    path: one.path.includes('?') ? one.path : `${one.path}${one.query}`,
    ...(one.strict === 0 && { headers: { prefer: 'handling=strict' } }),
  }))

/** The ways to ask a collection about a field of its neighbours by a few values, one request each (ruling 9.5); a smoke has some of them. */
export function askedAlong(
  collection: string,
  ways: readonly string[],
  values: readonly string[],
): readonly Question[] {
  const get = (below: string, ...parameters: readonly Parameter[]): Question => ({
    method: 'GET',
    path: `${collection}${below}?${new URLSearchParams([...parameters]).toString()}`,
  })
  const all = ways.flatMap((way) => {
    const [relationship = ''] = way.split('.')
    const filters = ['', '[ne]', '[gte]', '[like]'].flatMap((operator) =>
      values.map((value): Parameter => [`filter[${way}]${operator}`, value]),
    )
    return [
      ...filters.map((filter) => get('', filter)),
      ...filters.slice(0, values.length).map((filter) => get('/count', filter)),
      get('', [`filter[${way}][null]`, 'true']),
      get('', [`filter[${way}][null]`, 'false']),
      get('', ['sort', way], ['limit', '3']),
      get('', ['sort', `-${way}`], ['limit', '2'], ['cursor', '']),
      get('', ['fields', `id,${way}`], ['include', relationship]),
    ]
  })
  return all.filter((_, at) => at % ALONG === 0)
}

/** Requests with a body. */
export const asked = (
  method: string,
  path: fc.Arbitrary<string>,
  body: fc.Arbitrary<unknown>,
): fc.Arbitrary<Question> => fc.record({ method: fc.constant(method), path, body })

/** The same request by a client that has the answer already; undefined where that carries no tag (ruling 2.8). */
export function repeated(question: Question, { status, headers }: TestAnswer): Question | undefined {
  const tag = headers.get('etag')
  if (question.method !== 'GET' || status !== 200 || tag === null) return undefined
  return { ...question, headers: { ...question.headers, 'if-none-match': tag } }
}

/** The request for what comes after an answer by cursor; undefined where nothing does. */
export function followed({ path, ...rest }: Question, { body }: TestAnswer): Question | undefined {
  const cursor: unknown = body?.data?.nextCursor
  if (typeof cursor !== 'string' || !path.includes('cursor=')) return undefined
  const [at = '', parameters] = path.split('?')
  const next = new URLSearchParams(parameters)
  next.set('cursor', cursor)
  return { ...rest, path: `${at}?${next.toString()}` }
}
