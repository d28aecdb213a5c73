import type { Door, Path, Site } from '@svc/domain/contract'
import { compileFormat } from '../../formats/format.ts'
import type { Views } from '../../views/view.ts'
import { word } from '../../words.ts'
import type { WrittenQuery, WrittenWidget } from '../definition.ts'

/** Where a widget, or its query, is written, and what that may speak of. */
export interface WidgetPlace {
  readonly site: Site
  readonly views: Views
  readonly path: Path
  /** Whom the dashboard lets in. */
  readonly door: Door
}

/** Whether a query has a key; where it has not, that is reported. */
export function required(query: WrittenQuery, key: keyof WrittenQuery, { site, path }: WidgetPlace): boolean {
  if (query[key] !== undefined) return true
  site.problem([...path, key], 'is missing')
  return false
}

/** The place of the query of a widget. */
export const below = (place: WidgetPlace): WidgetPlace => ({ ...place, path: [...place.path, 'query'] })

/** What all widgets have; `usual` is the format unless one is written. */
export const shared = (name: string, written: WrittenWidget, usual: string, { site, path }: WidgetPlace) => ({
  name,
  label: word('dashboards', [...path, 'label'], written.label, site),
  format: compileFormat(written.format, usual, [...path, 'format'], site),
})

/** Colours of groups or of levels, by what they are called. */
export const colorsOf = ({ colorMap = {} }: WrittenWidget): ReadonlyMap<string, string> =>
  new Map(Object.entries(colorMap))

const MOST_ENTRIES = 100

/** How many rows or entries a widget shows; too many are reported. */
export function limitOf({ limit }: WrittenQuery, usual: number, { site, path }: WidgetPlace): number {
  if (limit !== undefined && limit > MOST_ENTRIES)
    site.problem([...path, 'limit'], `must be at most ${MOST_ENTRIES}`)
  return Math.min(limit ?? usual, MOST_ENTRIES)
}
