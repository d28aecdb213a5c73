import { bindingOf, conditionsOf, inScope } from '../../aggregates/ask.ts'
import { compileFormula, type Formula } from '../../aggregates/formula.ts'
import { measureOf, overNothing, textsOf } from '../../aggregates/measure.ts'
import {
  compileFormat,
  formatOfField,
  formatOfKind,
  labelsOf,
  type ValueFormat,
} from '../../formats/format.ts'
import { type Answer, formatsIn, type WidgetAsking } from '../asking.ts'
import type { WrittenQuery } from '../definition.ts'
import { COUNTS, formatOfMeasure, type Gathered, gatheredOf } from './gathered.ts'
import type { WidgetKind } from './kind.ts'
import { below, colorsOf, required, shared, type WidgetPlace } from './place.ts'

const DEFAULT_GROUPS = 100

/** What records come to in groups. */
export const breakdown: WidgetKind = {
  takes: [...COUNTS, 'groupBy', 'sort', 'limit'],
  has: ['colorMap'],
  compile(name, written, query, place) {
    const { site, path } = below(place)
    const gathered = gatheredOf(query, below(place))
    if (gathered === undefined || !required(query, 'groupBy', below(place))) return undefined
    const { measure, where } = gathered
    const by = compileFormula(query.groupBy!, measure.counted, site, [...path, 'groupBy'])
    if (by === undefined) return undefined
    const usual = by.field ? formatOfField(by.field) : formatOfKind(by.kind)
    const groups: Groups = {
      ...gathered,
      by,
      sort: sortOf(query, below(place)),
      limit: query.limit ?? DEFAULT_GROUPS,
      keyFormat: compileFormat(undefined, usual, path, site),
      colors: colorsOf(written),
    }
    return {
      ...shared(name, written, formatOfMeasure(measure), place),
      type: 'breakdown',
      sources: [measure.counted.resource],
      texts: [...textsOf(measure), ...[...where, by].map(({ source }) => source)],
      asks: [],
      closed: {},
      answer: (asking) => groupsOf(groups, asking),
    }
  },
}

interface Groups extends Gathered {
  readonly by: Formula
  readonly sort: { readonly by: 'value' | 'group'; readonly descending: boolean }
  readonly limit: number
  /** How keys are called. */
  readonly keyFormat: ValueFormat
  readonly colors: ReadonlyMap<string, string>
}

const SORT = /^(value|key)(?:\s+(asc|desc))?$/

function sortOf({ sort = 'value desc' }: WrittenQuery, { site, path }: WidgetPlace): Groups['sort'] {
  const [, by, direction = 'asc'] = SORT.exec(typeof sort === 'string' ? sort.trim() : '') ?? []
  if (by === undefined)
    site.problem([...path, 'sort'], 'is no order of groups', 'Write value or key, and asc or desc')
  return { by: by === 'key' ? 'group' : 'value', descending: direction === 'desc' }
}

async function groupsOf(
  { measure, where, by, sort, limit, colors, keyFormat }: Groups,
  asking: WidgetAsking,
): Promise<Answer | undefined> {
  const { counted, fn, formula } = measure
  const binding = bindingOf(counted, where, formula ? [formula, by] : [by], asking)
  if (binding === undefined) return undefined
  const rows = await asking.data.aggregate(
    counted.resource,
    {
      query: inScope(counted),
      where: conditionsOf(counted, where, binding),
      by: { group: by.scalar(binding) },
      measures: { value: measureOf(fn, formula?.scalar(binding)) },
      order: [{ ...sort, isNullZero: sort.by === 'value' && overNothing(fn) === 0 }],
      limit: limit + 1,
    },
    asking.asker,
  )
  const { model } = asking.data
  const enumeration = by.field?.enumeration
  const formats = formatsIn(asking)
  const labelOf = enumeration && labelsOf(enumeration, model.localizer, asking.locale)
  const groups = rows.slice(0, limit).map((row) => {
    const key = row['group'] ?? null
    return {
      key,
      label: keyFormat.write(key, formats, labelOf),
      value: row['value'] ?? overNothing(fn),
      color: colors.get(String(key)) ?? enumeration?.values.get(String(key))?.color ?? null,
    }
  })
  return { groups, truncated: rows.length > limit }
}
