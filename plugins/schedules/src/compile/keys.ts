import type { Path, Site } from '@svc/domain/contract'
import type { ScheduleDefinition } from '../definition/schedule.ts'
import { isRelative } from './timing.ts'

type Key = keyof ScheduleDefinition

/** Keys that mean nothing of a schedule of each kind. */
const IDLE: Readonly<Record<'recurring' | 'relative', readonly Key[]>> = {
  recurring: ['relativeTo', 'offset', 'at', 'tiers'],
  relative: ['recurrence', 'catchUp'],
}

/** Reports keys that exclude each other, or mean nothing beside the others, and a source that is missing. */
export function checkKeys(written: ScheduleDefinition, path: Path, site: Pick<Site, 'problem'>): void {
  const kind = isRelative(written) ? 'relative' : 'recurring'
  for (const key of IDLE[kind])
    if (written[key] !== undefined)
      site.problem([...path, key], `means nothing in a ${kind} schedule`, 'Take it away')
  if (written.tiers !== undefined && written.offset !== undefined)
    site.problem(
      [...path, 'offset'],
      "means nothing beside 'tiers'",
      'Say by daysUntil when each tier is due',
    )
  // One tag for all would let the first tier be the only one that ever fires.
  if (written.tiers !== undefined && written.tag !== undefined)
    site.problem([...path, 'tag'], "means nothing beside 'tiers'", 'Give each tier a tag of its own')
  if (written.source === undefined && kind === 'relative')
    site.problem([...path, 'source'], 'is missing', 'Name the resource whose records it is about')
  if (written.source === undefined && written.batched === true)
    site.problem([...path, 'batched'], "means nothing without 'source'", 'Take it away')
  checkRemoval(written, kind, path, site)
}

/** What removes records again and again has to say which. */
function checkRemoval(
  { action, source }: ScheduleDefinition,
  kind: 'recurring' | 'relative',
  path: Path,
  site: Pick<Site, 'problem'>,
): void {
  if (kind === 'relative' || (action !== 'delete' && action !== 'archive')) return
  if (source !== undefined && source.filter === undefined)
    site.problem(
      [...path, 'source', 'filter'],
      `is missing: 'action: ${action}' needs it`,
      'Say which records go',
    )
}
