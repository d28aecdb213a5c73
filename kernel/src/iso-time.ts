let latest = NaN
let text = ''

/**
 * A time in milliseconds since 1970-01-01T00:00:00Z as ISO 8601 writes it in UTC (`2026-01-02T03:04:05.678Z`). Many things happen
 * within a millisecond, and it takes longer to write one than most of them.
 */
export function isoTime(time: number): string {
  if (time === latest) return text
  text = new Date(time).toISOString()
  latest = time
  return text
}
