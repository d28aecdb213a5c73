import type { Words } from './words.ts'

/** A time of day, in milliseconds. */
export interface TimeOfDay {
  readonly ms: number
  /** `at 08:30`. */
  readonly text: string
}

/** Reads `at HH:MM[:SS]`; the beginning of the day where there is none. */
export function timeOfDay(words: Words): TimeOfDay {
  if (!words.accept('at')) return { ms: 0, text: 'at 00:00' }
  const { position } = words
  const [hour, minute, second = 0] =
    /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/
      .exec(words.take('time') ?? '')
      ?.slice(1)
      .map(part) ?? []
  if (hour === undefined || minute === undefined || hour > 23 || minute > 59 || second > 59)
    throw words.fault('expected a time from 00:00 to 23:59', 'Write it as 08:30 or 08:30:15', position)
  const shown = [hour, minute, ...(second === 0 ? [] : [second])].map(twoDigits)
  return { ms: ((hour * 60 + minute) * 60 + second) * 1000, text: `at ${shown.join(':')}` }
}

const part = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Number(digits)

/** `07`. */
export const twoDigits = (number: number): string => String(number).padStart(2, '0')
