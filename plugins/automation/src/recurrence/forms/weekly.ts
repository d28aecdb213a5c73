import { listed, listOf } from '../list.ts'
import { weekdayName, weekdayNumbers } from '../names.ts'
import { type Days, type Form, onDays } from '../pattern.ts'
import { timeOfDay } from '../time.ts'
import type { Words } from '../words.ts'

/** `daily at 08:00`. */
export const daily = (words: Words): Form => onWeekdays(words, 'daily', [1, 2, 3, 4, 5, 6, 7])

/** `weekdays at 08:00`: Monday to Friday. */
export const weekdays = (words: Words): Form => onWeekdays(words, 'weekdays', [1, 2, 3, 4, 5])

/** `weekly on Monday, Wednesday and Friday at 08:00`. */
export function weekly(words: Words): Form {
  if (!words.accept('on')) throw words.fault("expected 'on' and a weekday", 'Write weekly on Monday')
  const chosen = new Set(listOf(words, () => words.oneOf(weekdayNumbers, 'a weekday')))
  const numbers = [...chosen].sort((a, b) => a - b)
  return onWeekdays(words, `weekly on ${listed(numbers.map(weekdayName))}`, numbers)
}

function onWeekdays(words: Words, text: string, numbers: readonly number[]): Form {
  const time = timeOfDay(words)
  const days: Days = (day) => {
    const waits = numbers.map((number) => (number - day.dayOfWeek + 7) % 7)
    return day.add({ days: Math.min(...waits) })
  }
  return { text: `${text} ${time.text}`, pattern: onDays(days, time.ms) }
}
