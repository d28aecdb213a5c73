import { instantAt } from '../time/calendar.ts'
import { type PlainDate, Temporal } from '../time/temporal.ts'
import type { Pattern, Wall } from './pattern.ts'

/** Where a pattern is asked: whose clocks count, and the day that it counts from. */
export interface Place {
  readonly zone: string
  readonly since: PlainDate
}

type WallPattern = Extract<Pattern, { kind: 'wall' }>

/** Instants that a date and time can name: nothing occurs later. */
const LAST = Date.UTC(9999, 11, 31)
/** How often clocks change before a pattern that meets only what they skip counts as one that never occurs: 50 years. */
const MOST_CHANGES = 100

/** The first instant later than `after`, in milliseconds since 1970, at which a pattern occurs. */
export function nextOf(pattern: Pattern, after: number, place: Place): number | undefined {
  const next = instantOf(pattern, after, place)
  return next === undefined || next > LAST ? undefined : next
}

function instantOf(pattern: Pattern, after: number, place: Place): number | undefined {
  if (pattern.kind === 'steps') return (Math.floor(after / pattern.everyMs) + 1) * pattern.everyMs
  return pattern.runsOn ? byTheHands(pattern, after, place) : onceEach(pattern, after, place)
}

/** Each time once: what the clocks skip falls on the first instant after the gap, of what they show twice the first counts. */
function onceEach({ after: later }: WallPattern, after: number, { zone, since }: Place): number | undefined {
  let wall = later(wallAt(after, zone), since)
  for (let isFirst = true; wall !== undefined && wall <= LAST; isFirst = false) {
    const instant = instantAt(
      Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC').toPlainDateTime(),
      zone,
    )
    if (instant > after) return instant
    // The clocks went back: what they show now they have shown before, up to where they were when they did.
    wall = later(isFirst ? Math.max(wall, shownBefore(after, zone)) : wall, since)
  }
  return undefined
}

/** As the hands of the clocks go: between two changes of the clocks they go like any other. */
function byTheHands(
  { after: later }: WallPattern,
  after: number,
  { zone, since }: Place,
): number | undefined {
  let start = after + 1
  for (let changes = 0; changes < MOST_CHANGES; changes += 1) {
    const zoned = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(zone)
    const offset = offsetOf(zoned.offsetNanoseconds)
    const change = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
    const wall = later(start + offset - 1, since)
    if (wall !== undefined && wall - offset < change) return wall - offset
    if (change > LAST) return undefined
    start = change
  }
  return undefined
}

/** What the clocks show at an instant. */
const wallAt = (instant: number, zone: string): Wall =>
  instant +
  offsetOf(Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).offsetNanoseconds)

/** The last that the clocks showed before they were changed last. */
function shownBefore(instant: number, zone: string): Wall {
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant + 1).toZonedDateTimeISO(zone)
  const change = zoned.getTimeZoneTransition('previous')
  return change === null ? -Infinity : wallAt(change.epochMilliseconds - 1, zone)
}

const offsetOf = (nanoseconds: number): number => Math.floor(nanoseconds / 1e6)
