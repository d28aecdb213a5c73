import { type PlainDate, Temporal } from '../time/temporal.ts'

/**
 * What the clock on a wall shows, as the milliseconds since 1970 that it would be in UTC: such clocks have no gaps, and any
 * two of their times can be compared.
 */
export type Wall = number

/** When something occurs: by what a clock shows, or by the time that has passed. */
export type Pattern =
  | {
      readonly kind: 'wall'
      /** The first time later than `wall`; undefined where there is none. `since` is the day from which is counted. */
      after(wall: Wall, since: PlainDate): Wall | undefined
      /**
       * Whether it goes by the hands of the clock: what they skip does not occur, and what they show twice occurs twice.
       * Otherwise each time occurs once.
       */
      readonly runsOn: boolean
    }
  | { readonly kind: 'steps'; readonly everyMs: number }

/** What a text says. */
export interface Form {
  /** The same in the words of this language, which read back to it. */
  readonly text: string
  readonly pattern: Pattern
  /** Whether it counts from the day on which it was submitted first. */
  readonly isCounted?: boolean
}

/** The first day that counts, from `day` on; undefined where there is none. */
export type Days = (day: PlainDate, since: PlainDate) => PlainDate | undefined

const DAY_MS = 86_400_000

/** A time on each of these days. */
export const onDays = (days: Days, timeMs: number): Pattern => ({
  kind: 'wall',
  runsOn: false,
  after(wall, since) {
    const today = dateOf(wall)
    const from = wall - wallOf(today) < timeMs ? today : today.add({ days: 1 })
    const day = days(from, since)
    return day === undefined ? undefined : wallOf(day) + timeMs
  },
})

/** The day that a clock shows. */
export const dateOf = (wall: Wall): PlainDate =>
  Temporal.PlainDate.from('1970-01-01').add({ days: Math.floor(wall / DAY_MS) })

/** The time at which a clock shows the beginning of a day. */
export const wallOf = ({ year, month, day }: PlainDate): Wall => Date.UTC(year, month - 1, day)
