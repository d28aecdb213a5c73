import { didYouMean } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import { sourceOf } from '../../views/compile.ts'
import type { TimelineWidget } from '../dashboard.ts'
import type { WrittenQuery, WrittenWidget } from '../definition.ts'
import { above, limitOf, required, shared, type WidgetPlace } from './place.ts'

const DEFAULT_ENTRIES = 20

/** Compiles a timeline; undefined where something is missing that was reported. */
export function timelineOf(
  name: string,
  written: WrittenWidget,
  query: WrittenQuery,
  place: WidgetPlace,
): TimelineWidget | undefined {
  const { site, path } = place
  if (!required(query, 'source', place)) return undefined
  const resource = sourceOf(query.source!, site, [...path, 'source'])
  if (resource === undefined) return undefined
  const history = site.made(HISTORY, resource)
  if (history === undefined) {
    site.problem([...path, 'source'], `'${resource.name}' has no history`, 'Write history for the resource')
    return undefined
  }
  for (const [at, event] of (query.events ?? []).entries())
    if (!history.events.includes(event))
      site.problem(
        [...path, 'events', at],
        `'${resource.name}' has no event '${event.slice(0, 60)}'`,
        didYouMean(event, history.events),
      )
  return {
    ...shared(name, written, 'text', above(place)),
    type: 'timeline',
    resource,
    events: query.events && [...new Set(query.events)],
    limit: limitOf(query, DEFAULT_ENTRIES, place),
  }
}
