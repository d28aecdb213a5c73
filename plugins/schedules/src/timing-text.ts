import { createHash } from 'node:crypto'
import type { Schedule } from './schedule.ts'

/** What the moments of a schedule depend on, in short. */
export function textOf({ zone, timing, source, deeds }: Schedule): string {
  const told =
    timing.kind === 'recurring'
      ? [zone, timing.recurrence.text]
      : [
          zone,
          source?.resource.name,
          source?.filter?.source,
          timing.relativeTo.name,
          timing.offset.written,
          timing.at,
          deeds.map(({ daysUntil }) => daysUntil),
          deeds.map(({ tag }) => tag.written ?? []),
        ]
  return createHash('sha256').update(JSON.stringify(told)).digest('base64url')
}
