/** The offsets of a time zone from UTC. */
export interface TimeZone {
  /** Instants in milliseconds since 1970, ascending, from which on each offset counts; the first is before all time. */
  readonly starts: readonly number[]
  /** Milliseconds that its clocks are ahead of UTC. */
  readonly offsets: readonly number[]
}

const FIRST = Date.UTC(1970, 0, 1)
const LAST = Date.UTC(2100, 0, 1)
const ALWAYS = Number.MIN_SAFE_INTEGER
const SECOND = 1000
/** No zone has changed its clocks and changed them back within so short a time. */
const STRIDE = 14 * 86_400_000

const known = new Map<string, TimeZone>()

/**
 * The zone of this name of IANA, as this process knows it for the years 1970 to 2099. All stores go by it, so that none
 * differs for having older rules than another. Throws RangeError where there is none of that name.
 */
export function timeZone(name: string): TimeZone {
  const found = known.get(name)
  if (found !== undefined) return found
  const made = read(name)
  known.set(name, made)
  return made
}

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
export function offsetAt({ starts, offsets }: TimeZone, at: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= at) low = middle
    else high = middle
  }
  return offsets[low]!
}

function read(name: string): TimeZone {
  const offset = reader(name)
  const starts = [ALWAYS]
  const offsets = [offset(FIRST)]
  for (let from = FIRST; from < LAST; from += STRIDE) {
    const to = Math.min(from + STRIDE, LAST)
    const after = offset(to)
    if (after === offsets.at(-1)) continue
    starts.push(changeBetween(from, to, (at) => offset(at) === after))
    offsets.push(after)
  }
  return Object.freeze({ starts: Object.freeze(starts), offsets: Object.freeze(offsets) })
}

/** The first second in which it holds: it does so at `to`, and not at `from`. */
function changeBetween(from: number, to: number, holds: (at: number) => boolean): number {
  let [before, after] = [from / SECOND, to / SECOND]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (holds(middle * SECOND)) after = middle
    else before = middle
  }
  return after * SECOND
}

/** Reads the clock of a zone. */
function reader(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  return (at) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
      format.format(at).match(/\d+/g) ?? []
    ).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) - at
  }
}
