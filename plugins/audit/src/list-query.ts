import { errors, type Inbound, type Warning } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import { z } from 'zod'
import { COLUMNS } from './table.ts'

const MAX_LIMIT = 500
const STRICT = /(^|[,;\s])handling\s*=\s*"?strict"?\s*($|[,;])/i
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

/**
 * Reads the query parameters of a message. Throws INVALID_QUERY, which names all that are wrong; unknown ones
 * are wrong where the caller prefers strict handling (RFC 7240, section 4.4).
 */
export function readListQuery(request: Pick<Inbound, 'query' | 'meta'>): ListQuery {
  const isStrict = STRICT.test(request.meta('prefer') ?? '')
  const values = Object.entries(request.query)
    .filter(([name]) => isStrict || isKnown(name))
    .map(([name, text]) => [name, INTEGERS.has(name) ? integer(text) : text])
  const result = ListQuery.safeParse(Object.fromEntries(values))
  if (result.success) return result.data
  throw errors.INVALID_QUERY({ message: result.error.issues.map(describe).join('; ') })
}

/** A warning for each query parameter that means nothing here. */
export function ignoredIn(query: Inbound['query']): readonly Warning[] {
  return Object.keys(query)
    .filter((name) => !isKnown(name))
    .map((name) => ({
      rule: 'ignored',
      message: `'${name}' is no query parameter of this listing`,
      severity: 'info',
      regulation: null,
    }))
}

const isKnown = (name: string): boolean => Object.hasOwn(ListQuery.shape, name)

/** A text that is no integer stays a text, which the schema refuses. */
const integer = (text: string): number | string => (INTEGER.test(text) ? Number(text) : text)

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return `'${issue.path.join('.')}': ${issue.message}`
  const known = Object.keys(ListQuery.shape).join(', ')
  return `unknown query parameter ${issue.keys.map((key) => `'${key}'`).join(', ')} (known: ${known})`
}

/** The rows of the page that `query` asks for. */
export function pageOf({ limit, offset }: ListQuery): { limit: number; offset: number } {
  return { limit: Math.min(Math.max(limit, 1), MAX_LIMIT), offset: Math.max(offset, 0) }
}

/** The rows that `query` asks for, whatever the page. */
export function conditionOf(query: ListQuery): Condition {
  const { username, action, statusCode, timestamp } = COLUMNS
  const of: Condition[] = []
  if (query.username !== undefined) of.push({ op: 'eq', column: username, value: query.username })
  if (query.action !== undefined) of.push({ op: 'eq', column: action, value: query.action })
  if (query.status_code !== undefined) of.push({ op: 'eq', column: statusCode, value: query.status_code })
  if (query.after !== undefined) of.push({ op: 'gt', column: timestamp, value: utc(query.after) })
  if (query.before !== undefined) of.push({ op: 'lt', column: timestamp, value: utc(query.before) })
  return of.length === 0 ? { op: 'always' } : { op: 'and', of }
}

const utc = (dateTime: string): string => new Date(dateTime).toISOString()
