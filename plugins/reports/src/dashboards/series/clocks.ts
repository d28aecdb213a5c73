import { Temporal } from '@svc/automation/contract'
import type { SlotUnit } from '@svc/store/contract'

/** The clocks of a zone over some time: from when on they are ahead of UTC by how much, in milliseconds, ascending. */
export type Clocks = readonly { readonly from: number; readonly offset: number }[]

export const HOUR = 3_600_000

export const UTC: Clocks = [{ from: Number.MIN_SAFE_INTEGER, offset: 0 }]

/** The clocks of a zone of IANA between two points in time. */
export function clocksOf(zone: string, from: number, to: number): Clocks {
  let at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone)
  const clocks = [{ from, offset: at.offsetNanoseconds / 1e6 }]
  for (;;) {
    const change = at.getTimeZoneTransition('next')
    if (change === null || change.epochMilliseconds > to) return clocks
    clocks.push({ from: change.epochMilliseconds, offset: change.offsetNanoseconds / 1e6 })
    at = change
  }
}

/** How far the clocks are ahead of UTC at a point in time. */
export function offsetAt(clocks: Clocks, at: number): number {
  let place = clocks.length - 1
  while (place > 0 && clocks[place]!.from > at) place -= 1
  return clocks[place]!.offset
}

/** How long the parts of an hour are, in milliseconds. */
export const SLOTS: Readonly<Record<SlotUnit, number>> = {
  hour: HOUR,
  quarterHour: HOUR / 4,
  minute: HOUR / 60,
}

/** The longest part of an hour that no hour of these clocks, and no change of them, cuts; undefined where they count seconds. */
export function slotOf(clocks: Clocks): SlotUnit | undefined {
  const fits = (ms: number): boolean =>
    clocks.every(({ from, offset }, at) => offset % ms === 0 && (at === 0 || from % ms === 0))
  return (['hour', 'quarterHour', 'minute'] as const).find((unit) => fits(SLOTS[unit]))
}
