import { Cron } from 'croner'
import { RecurrenceFault } from '../fault.ts'
import type { Form, Wall } from '../pattern.ts'

const NICKNAMES = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']

/**
 * `0 8 * * MON-FRI`, or `@daily`. The library is asked in UTC alone, as a clock without gaps: what the clocks of a zone do to
 * it is the same for every form.
 */
export function cron(written: string): Form {
  const text = written.trim().replace(/\s+/g, ' ').toUpperCase()
  const pattern = text.startsWith('@') ? text.toLowerCase() : text
  checkWords(pattern, written)
  const times = timesOf(pattern, written)
  const after = (wall: Wall): Wall | undefined => times.nextRun(new Date(wall))?.getTime()
  // A pattern that never occurs takes its time to say so: it is asked once, when it is read.
  if (after(Date.UTC(2000, 0)) === undefined)
    throw new RecurrenceFault(
      `'${pattern}' never occurs`,
      start(written),
      'Look for a day that its months do not have',
    )
  return { text: pattern, pattern: { kind: 'wall', after, runsOn: runsOn(pattern) } }
}

function checkWords(pattern: string, written: string): void {
  const allowed = pattern.startsWith('@') ? NICKNAMES.includes(pattern) : /^[\dA-Z*,\-/# ]*$/.test(pattern)
  if (allowed) return
  const at = written.search(/[^\w*,\-/#\s@]/)
  const hint = pattern.startsWith('@')
    ? `Known are ${NICKNAMES.join(', ')}`
    : 'It may have numbers, names, and * , - / L W #'
  throw new RecurrenceFault(
    `'${pattern.slice(0, 40)}' is no cron pattern`,
    at < 0 ? start(written) : at,
    hint,
  )
}

function timesOf(pattern: string, written: string): Cron {
  try {
    return new Cron(pattern, { timezone: 'UTC', paused: true, mode: '5-or-6-parts' })
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    throw new RecurrenceFault(
      `'${pattern.slice(0, 40)}' is no cron pattern: ${said}`,
      start(written),
      'It has five fields (minute, hour, day, month, weekday), or six with seconds first',
    )
  }
}

const start = (written: string): number => Math.max(0, written.search(/\S/))

/** Whether a `*` or a step stands for the hour or the minute. */
function runsOn(pattern: string): boolean {
  if (pattern.startsWith('@')) return pattern === '@hourly'
  const fields = pattern.split(' ')
  const [minute = '', hour = ''] = fields.length === 6 ? fields.slice(1) : fields
  return /[*/]/.test(minute) || /[*/]/.test(hour)
}
