const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?$/
const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** The form that a moment is stored and answered in: what a client sends back needs no work. */
const STORED = /^.{10}T.{8}\.\d{3}Z$/

/** An RFC 3339 full-date of a real day of the years 1 to 9999; undefined for anything else. */
export function readDate(text: string): string | undefined {
  const match = DATE.exec(text)
  return match && isDay(match) ? text : undefined
}

/** `HH:MM[:SS[.fff]]` as `HH:MM:SS`, with its fraction, without trailing zeros, where there is one. */
export function readTime(text: string): string | undefined {
  const match = TIME.exec(text)
  if (!match) return undefined
  const [, minutes, seconds = '00', fraction = ''] = match
  const digits = fraction.replace(/0+$/, '')
  return `${minutes}:${seconds}${digits === '' ? '' : `.${digits}`}`
}

/** An RFC 3339 date-time with any offset as `YYYY-MM-DDTHH:MM:SS.sssZ`; digits past the millisecond are cut. */
export function readMoment(text: string): string | undefined {
  const match = MOMENT.exec(text)
  if (!match || !isDay(match)) return undefined
  if (STORED.test(text)) return text
  const milliseconds = Date.parse(text.toUpperCase())
  return milliseconds >= FIRST && milliseconds <= LAST ? new Date(milliseconds).toISOString() : undefined
}

// An offset can push a date-time out of the four-digit years that both stores keep.
const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

function isDay(match: RegExpExecArray): boolean {
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const days = month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)
  return year >= 1 && day >= 1 && day <= days
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
