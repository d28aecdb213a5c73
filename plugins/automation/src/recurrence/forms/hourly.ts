import type { Form } from '../pattern.ts'
import { twoDigits } from '../time.ts'
import type { Words } from '../words.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** `hourly at :15`. */
export function hourly(words: Words): Form {
  const minute = words.accept('at') ? minuteOf(words) : 0
  const past = minute * MINUTE_MS
  return {
    text: `hourly at :${twoDigits(minute)}`,
    pattern: {
      kind: 'wall',
      runsOn: true,
      after: (wall) => (Math.floor((wall - past) / HOUR_MS) + 1) * HOUR_MS + past,
    },
  }
}

function minuteOf(words: Words): number {
  const { position } = words
  const [, digits] = /^:(\d{2})$/.exec(words.take('time') ?? '') ?? []
  const minute = Number(digits)
  if (digits === undefined || minute > 59)
    throw words.fault('expected a minute from :00 to :59', 'Write hourly at :15', position)
  return minute
}
