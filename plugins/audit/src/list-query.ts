import { errors, type Ignored, type Inbound, offsetOf, pageOf } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import { z } from 'zod'
import type { Entry } from './row.ts'
import { COLUMNS, EARLIER, SPAN_MS } from './table.ts'

const LIMITS = { limit: 100, most: 500 }
const INTEGER = /^[+-]?\d{1,15}$/
/** Every year that both stores can hold; an offset may lead out of it. */
const STORABLE = /^(?!0000)\d{4}-/
const dateTime = z.iso
  .datetime({ offset: true, abort: true, error: 'Expected a date-time such as 2026-01-31T12:00:00Z' })
  .refine((text) => STORABLE.test(utc(text)), 'Expected a date-time of the years 1 to 9999')

/** What a listing can be narrowed by. */
export const ListQuery = z.strictObject({
  username: z.string().optional().describe('Only requests of this user'),
  action: z.string().optional().describe('Only requests for this action'),
  status_code: z.int().optional().describe('Only answers with this status code'),
  after: dateTime.optional().describe('Only requests later than this'),
  before: dateTime.optional().describe('Only requests earlier than this'),
  limit: z.int().default(100).describe('Records to answer; brought into 1 to 500'),
  offset: z.int().default(0).describe('Records to leave out first; brought to 0 or more'),
})
export type ListQuery = z.output<typeof ListQuery>

const INTEGERS: ReadonlySet<string> = new Set(['status_code', 'limit', 'offset'])

/** Reads the query parameters of a message. Throws INVALID_QUERY, which names all that are wrong. */
export function readListQuery({ query }: Pick<Inbound, 'query'>): ListQuery {
  const values = Object.entries(query)
    .filter(([name]) => isKnown(name))
    .map(([name, text]) => [name, INTEGERS.has(name) ? integer(text) : text])
  const result = ListQuery.safeParse(Object.fromEntries(values))
  if (result.success) return result.data
  throw errors.INVALID_QUERY({ message: result.error.issues.map(describe).join('; ') })
}

/** Tells of each query parameter that means nothing here. */
export function reportUnknown(query: Inbound['query'], ignored: Ignored): void {
  for (const name of Object.keys(query)) if (!isKnown(name)) ignored('query', name)
}

const isKnown = (name: string): boolean => Object.hasOwn(ListQuery.shape, name)

/** A text that is no integer stays a text, which the schema refuses. */
const integer = (text: string): number | string => (INTEGER.test(text) ? Number(text) : text)

const describe = (issue: z.core.$ZodIssue): string => `'${issue.path.join('.')}': ${issue.message}`

/** The rows of the page that `query` asks for. */
export function rangeOf({ limit, offset }: ListQuery): { readonly limit: number; readonly offset: number } {
  const page = pageOf({ limit, offset }, LIMITS)
  return { limit: page.limit, offset: offsetOf(page) }
}

/** The rows in which requests stand that `query` asks for, whatever the page. */
export function conditionOf(query: ListQuery): Condition {
  const { username, action, statusCode, timestamp } = COLUMNS
  const of: Condition[] = []
  if (query.username !== undefined) of.push({ op: 'eq', column: username, value: query.username })
  if (query.action !== undefined) of.push({ op: 'eq', column: action, value: query.action })
  if (query.status_code !== undefined) of.push({ op: 'eq', column: statusCode, value: query.status_code })
  if (query.after !== undefined) of.push({ op: 'gt', column: timestamp, value: utc(query.after) })
  if (query.before !== undefined) of.push(beganBefore(utc(query.before)))
  return of.length === 0 ? { op: 'always' } : { op: 'and', of }
}

/** Rows whose first request came before that; by the time of their latest first, which an index is in the order of. */
function beganBefore(value: string): Condition {
  const { timestamp } = COLUMNS
  const latest = Date.parse(value) + SPAN_MS
  const began: Condition = {
    op: 'or',
    of: [
      { op: 'lt', column: timestamp, value },
      { op: 'lt', column: EARLIER.earliest, value },
    ],
  }
  if (latest > LAST) return began
  return {
    op: 'and',
    of: [{ op: 'lt', column: timestamp, value: new Date(latest).toISOString() }, began],
  }
}

/** The end of what both stores can hold. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Whether a request of such a row came in the time that `query` asks for. */
export function isWithin({ after, before }: ListQuery): (entry: Entry) => boolean {
  const from = after === undefined ? -Infinity : Date.parse(after)
  const to = before === undefined ? Infinity : Date.parse(before)
  return ({ timestamp }) => from < Date.parse(timestamp) && Date.parse(timestamp) < to
}

const utc = (dateTime: string): string => new Date(dateTime).toISOString()
