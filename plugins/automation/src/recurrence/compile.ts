import type { Path, Site } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import { isTimeZone } from '../time/calendar.ts'
import { RecurrenceFault } from './fault.ts'
import { readRecurrence, type Recurrence } from './recurrence.ts'

/** The zone whose clocks count: the one that is written, that of the domain, or UTC. */
export function zoneOf(timezone: string | undefined, path: Path, site: Site): string {
  if (timezone === undefined) {
    const common = site.model.definition.config?.['timezone']
    return typeof common === 'string' && isTimeZone(common) ? common : 'UTC'
  }
  if (isTimeZone(timezone)) return timezone
  const meant = nearest(timezone, Intl.supportedValuesOf('timeZone'))
  site.problem(
    path,
    `there is no time zone '${timezone.slice(0, 40)}'`,
    meant === undefined ? 'Write a name of the IANA, such as Europe/London' : `Did you mean ${meant}?`,
  )
  return 'UTC'
}

/** Any moment does to learn how a pattern goes: a definition means the same whenever it is read. */
const SOME_MOMENT = Date.UTC(2026, 0)

/** Compiles a recurrence; undefined where it is none, or never occurs, which is reported. `gapMs` is its shortest time between two. */
export function compileRecurrence(
  text: string,
  path: Path,
  site: Site,
  zone: string,
): { readonly recurrence: Recurrence; readonly gapMs: number } | undefined {
  try {
    const recurrence = readRecurrence(text)
    const gapMs = shortestGap(recurrence, zone)
    if (gapMs !== undefined) return { recurrence, gapMs }
    site.problem(path, `'${recurrence.text}' never occurs in ${zone}`)
  } catch (error) {
    if (!(error instanceof RecurrenceFault)) throw error
    site.problem(path, `${error.message} (at character ${error.position + 1})`, error.hint)
  }
  return undefined
}

/** The shortest time between a few occurrences; undefined where there is none at all. */
function shortestGap(recurrence: Recurrence, zone: string): number | undefined {
  let [last, shortest] = [recurrence.next(SOME_MOMENT, zone, SOME_MOMENT), Infinity]
  if (last === undefined) return undefined
  for (let seen = 0; seen < 5; seen += 1) {
    const next = recurrence.next(last, zone, SOME_MOMENT)
    if (next === undefined) break
    shortest = Math.min(shortest, next - last)
    last = next
  }
  return shortest
}
