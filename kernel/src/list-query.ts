import { errors } from './errors.ts'
import type { Warning } from './reply.ts'

/** How many entries a list answers unless it is asked for more or fewer, and at most. */
export interface PageLimits {
  readonly limit: number
  readonly most: number
}

export const PAGE_LIMITS: PageLimits = Object.freeze({ limit: 50, most: 1000 })

/** Which part of a list is asked for: by page, with a total, or by offset, without. */
export type Page =
  | { readonly by: 'page'; readonly page: number; readonly limit: number }
  | { readonly by: 'offset'; readonly offset: number; readonly limit: number }

/**
 * Reads `page`, `limit` and `offset`: values out of range are brought into range, `page` wins over `offset`. Throws
 * INVALID_QUERY for what is no whole number.
 */
export function pageOf(
  { page, limit, offset }: Readonly<Record<string, unknown>>,
  { limit: otherwise, most }: PageLimits = PAGE_LIMITS,
): Page {
  const size = countOf('limit', limit, { limit: otherwise, most })
  const from = wholeNumber('offset', offset)
  const number = wholeNumber('page', page)
  if (number !== undefined || from === undefined)
    return { by: 'page', page: clamp(number ?? 1, 1, MAX_PAGE), limit: size }
  return { by: 'offset', offset: clamp(from, 0, Number.MAX_SAFE_INTEGER), limit: size }
}

/** Reads how many are asked for, brought into 1 to `most`; `limit` unless said. Throws INVALID_QUERY for what is no whole number. */
export const countOf = (name: string, given: unknown, { limit, most }: PageLimits): number =>
  clamp(wholeNumber(name, given) ?? limit, 1, most)

/** How many entries come before a page. */
export const offsetOf = (asked: Page): number =>
  asked.by === 'page' ? (asked.page - 1) * asked.limit : asked.offset

/** Keeps page times limit an exact number, whatever the limit. */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / 1000)

function wholeNumber(name: string, given: unknown): number | undefined {
  if (given === undefined) return undefined
  const text = String(given)
  if (/^[+-]?\d{1,400}$/.test(text)) return Number(text)
  throw errors.INVALID_QUERY({ message: `'${name}' must be a whole number, not '${text.slice(0, 50)}'` })
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max)

/**
 * Takes note of what a query asked for in vain. An unreadable name is reported in the same words as an unknown
 * one, so that nobody learns that it exists.
 */
export interface Ignored {
  (parameter: string, name: string): void
}

/** Whether a client wants to be refused rather than told of what it asked in vain, by its `Prefer` (RFC 7240, section 4.4). */
export const isStrict = (prefer: string | undefined): boolean =>
  prefer !== undefined && /(?:^|[,;\s])handling\s*=\s*"?strict"?\s*(?:$|[,;])/i.test(prefer)

/** Collects warnings, or throws INVALID_QUERY where the client wants strict handling. */
export function ignoredBy(prefer: string | undefined, warn: (warning: Warning) => void): Ignored {
  const drop = droppedBy(prefer, warn)
  return (parameter, name) => drop(`'${name}' in '${parameter}' is not known here`)
}

/** The same for anything that a client sends in vain; the message says what and why. */
export function droppedBy(
  prefer: string | undefined,
  warn: (warning: Warning) => void,
): (message: string) => void {
  const strict = isStrict(prefer)
  return (message) => {
    if (strict) throw errors.INVALID_QUERY({ message })
    warn({ rule: 'ignored', message: `${message}: it was ignored`, severity: 'info', regulation: null })
  }
}
