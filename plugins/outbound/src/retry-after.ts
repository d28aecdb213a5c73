/** The longest that a receiver may put a message off unless said, in milliseconds: a day. */
const LONGEST_MS = 86_400_000

/**
 * How long a receiver wants to be left alone, in milliseconds: RFC 9110, section 10.2.3, has seconds or a date. It is `most` at most;
 * undefined where nothing is said, or nothing that can be read.
 */
export function retryAfter(header: string | undefined, now: number, most = LONGEST_MS): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, most) : undefined
}
