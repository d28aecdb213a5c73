import type { Widget } from '../dashboard.ts'
import type { WidgetType, WrittenWidget } from '../definition.ts'
import { breakdown } from './breakdown.ts'
import { counter, gauge } from './counter.ts'
import { OWN_KEYS, type QueryKey, type WidgetKind } from './kind.ts'
import type { WidgetPlace } from './place.ts'
import { timeSeries } from './series.ts'
import { table } from './table.ts'
import { timeline } from './timeline.ts'

const KINDS: Readonly<Record<WidgetType, WidgetKind>> = {
  counter,
  scorecard: counter,
  gauge,
  breakdown,
  timeSeries,
  table,
  timeline,
}

/** Compiles a widget; undefined where something is missing that was reported. */
export function compileWidget(name: string, written: WrittenWidget, place: WidgetPlace): Widget | undefined {
  const { site, path } = place
  const { type, query } = written
  const { takes, has, compile, compileText } = KINDS[type]
  for (const key of OWN_KEYS)
    if (written[key] !== undefined && !has.includes(key))
      site.problem([...path, key], `means nothing for a ${type}`)
  if (typeof query === 'string') {
    if (compileText !== undefined) return compileText(name, written, query, place)
    site.problem([...path, 'query'], `of a ${type} is a map`, `Write ${takes.join(', ')}`)
    return undefined
  }
  for (const key of Object.keys(query))
    if (query[key as QueryKey] !== undefined && !takes.includes(key as QueryKey))
      site.problem([...path, 'query', key], `means nothing for a ${type}`, `It takes ${takes.join(', ')}`)
  return compile(name, written, query, place)
}
