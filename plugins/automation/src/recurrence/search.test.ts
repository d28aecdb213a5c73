import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { size } from '../../../../test/kit/size.ts'
import { RecurrenceFault } from './fault.ts'
import { readRecurrence } from './recurrence.ts'
import { meant, type Meant } from './search.testkit.ts'

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
const TWO_YEARS = 2 * 366 * 24 * 60
const ZONES = Intl.supportedValuesOf('timeZone')

/**
 * What the clocks of a zone are ahead of UTC. It is looked up each quarter of an hour, and each minute of those in which the clocks
 * are changed: those of Antarctica/Casey were put forward at 00:01.
 */
function offsets(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  const known = new Map<number, number>()
  const looked = (instant: number) => {
    const found = known.get(instant)
    if (found !== undefined) return found
    const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d+):(\d+)/.exec(format.format(instant)) ?? []
    const offset = (Number(hours) * 60 + Number(minutes)) * MINUTE * (sign === '-' ? -1 : 1)
    known.set(instant, offset)
    return offset
  }
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER) * QUARTER
    const offset = looked(quarter)
    return offset === looked(quarter + QUARTER) ? offset : looked(Math.floor(instant / MINUTE) * MINUTE)
  }
}

/** Looks at every minute of two years. */
function searched(
  { matches, runsOn }: Meant,
  from: number,
  offsetAt: (instant: number) => number,
): readonly number[] {
  const found: number[] = []
  let latest = from + offsetAt(from)
  for (let minute = 1; minute <= TWO_YEARS; minute += 1) {
    const instant = from + minute * MINUTE
    const wall = instant + offsetAt(instant)
    if (runsOn) {
      if (matches(new Date(wall))) found.push(instant)
      continue
    }
    // What the clocks have not shown yet, with all that they skip.
    let isOne = false
    for (let shown = latest + MINUTE; shown <= wall; shown += MINUTE) isOne ||= matches(new Date(shown))
    if (isOne) found.push(instant)
    latest = Math.max(latest, wall)
  }
  return found
}

/** The last minute of the two years at which the offset is another one than a minute before. */
function changesWithin(from: number, offsetAt: (instant: number) => number): readonly number[] {
  const changes: number[] = []
  for (let at = from; at < from + TWO_YEARS * MINUTE; at += 15 * MINUTE)
    if (offsetAt(at) !== offsetAt(at + 15 * MINUTE)) changes.push(at + 15 * MINUTE)
  return changes
}

const firstLater = (sorted: readonly number[], after: number): number | undefined =>
  sorted.find((one) => one > after)

const moments = fc.record({
  zone: fc.constantFrom(...ZONES),
  // Years of which the zones are known, and both sides of their changes.
  from: fc
    .integer({ min: Date.UTC(2015, 0), max: Date.UTC(2027, 0) })
    .map((at) => Math.floor(at / MINUTE) * MINUTE),
  probes: fc.array(fc.integer({ min: 0, max: TWO_YEARS - 1 }), { minLength: 20, maxLength: 20 }),
})

const RUNS = size('RECURRENCE_RUNS', { smoke: 6, whole: 1500 })
/** A search goes through two years minute by minute. */
const PATIENCE_MS = 60_000 + RUNS * 2000

describe('next, against a search', () => {
  it(
    `is later than its argument and skips none that a search by minutes finds, in ${RUNS} random cases`,
    () => {
      fc.assert(
        fc.property(meant, moments, (one, { zone, from, probes }) => {
          let recurrence
          try {
            recurrence = readRecurrence(one.text)
          } catch (error) {
            // Random fields may name a day that none of their months has.
            if (error instanceof RecurrenceFault && error.message.includes('never occurs')) return
            throw error
          }
          const offsetAt = offsets(zone)
          const found = searched(one, from, offsetAt)
          const end = from + TWO_YEARS * MINUTE
          const asked = [
            from,
            ...probes.map((probe) => from + probe * MINUTE),
            ...changesWithin(from, offsetAt).flatMap((at) =>
              [-61, -60, -31, -1, 0, 1, 29, 59, 60, 61].map((minutes) => at + minutes * MINUTE),
            ),
          ]
          for (const after of asked.filter((at) => at >= from && at < end)) {
            const next = recurrence.next(after, zone, from)
            if (next !== undefined) expect(next).toBeGreaterThan(after)
            const expected = firstLater(found, after)
            const within = next === undefined || next > end ? undefined : next
            expect(within, `${one.text} after ${new Date(after).toISOString()} in ${zone}`).toBe(expected)
          }
        }),
        { numRuns: RUNS },
      )
    },
    PATIENCE_MS,
  )

  it('prints what reads back to itself', () => {
    fc.assert(
      fc.property(meant, ({ text }) => {
        let printed
        try {
          printed = readRecurrence(text).text
        } catch {
          return
        }
        expect(readRecurrence(printed).text).toBe(printed)
        const shouted = text.toUpperCase().replaceAll(' ', '   ')
        expect(readRecurrence(` ${shouted} `).text).toBe(printed)
      }),
      { numRuns: 200 },
    )
  })
})
