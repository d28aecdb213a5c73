import { didYouMean, type Resource } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import type { ActionName } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { sourceOf } from '../../views/compile.ts'
import type { Answer, WidgetAsking } from '../asking.ts'
import type { WidgetKind } from './kind.ts'
import { below, limitOf, required, shared } from './place.ts'

const DEFAULT_ENTRIES = 20

/** The latest that happened to the records of a resource. */
export const timeline: WidgetKind = {
  takes: ['source', 'events', 'limit'],
  has: [],
  compile(name, written, query, place) {
    const { site, path } = below(place)
    if (!required(query, 'source', below(place))) return undefined
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
    const limit = limitOf(query, DEFAULT_ENTRIES, below(place))
    const events = query.events && [...new Set(query.events)]
    return {
      ...shared(name, written, 'text', place),
      type: 'timeline',
      sources: [resource],
      texts: [],
      isPersonal: history.isPersonal,
      asks: [],
      closed: {},
      answer: (asking) => entriesOf(resource, events, limit, asking),
    }
  },
}

async function entriesOf(
  resource: Resource,
  events: readonly string[] | undefined,
  limit: number,
  { call, data, caller }: WidgetAsking,
): Promise<Answer | undefined> {
  if (data.access(resource, caller).rowsIfAny('list') === undefined) return undefined
  const read = async (event?: string): Promise<readonly Row[]> => {
    const query = { limit: String(limit), offset: '0', ...(event !== undefined && { event }) }
    const answer = await call.call(`${resource.actionPrefix}history` as ActionName, { path: {}, query })
    return (answer as { readonly items: readonly Row[] }).items
  }
  if (events === undefined) return { items: await read() }
  const found: Row[] = []
  for (const event of events) found.push(...(await read(event)))
  return { items: found.toSorted(newestFirst).slice(0, limit) }
}

const newestFirst = (one: Row, other: Row): number =>
  compare(String(other['timestamp']), String(one['timestamp'])) ||
  compare(String(other['id']), String(one['id']))

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
