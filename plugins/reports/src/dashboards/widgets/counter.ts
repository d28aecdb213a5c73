import type { Value } from '@svc/store/contract'
import type { Ask } from '../../aggregates/ask.ts'
import { compileFigure, type Figure } from '../../aggregates/figure.ts'
import { textsOf } from '../../aggregates/measure.ts'
import { formatOfFigure } from '../../reports/metrics.ts'
import { formatsIn, type WidgetAsking } from '../asking.ts'
import type { Widget } from '../dashboard.ts'
import type { WrittenWidget } from '../definition.ts'
import { compileThresholds, levelOf, type Threshold } from '../thresholds.ts'
import { COUNTS, formatOfMeasure, gatheredOf } from './gathered.ts'
import type { WidgetKind } from './kind.ts'
import { below, colorsOf, shared, type WidgetPlace } from './place.ts'

/** One figure: of a counter, a scorecard and, between its ends, a gauge. */
export const counter: WidgetKind = {
  takes: COUNTS,
  has: ['thresholds', 'target', 'colorMap'],
  compile: (name, written, query, place) => {
    const gathered = gatheredOf(query, below(place))
    return gathered && counterOf(name, written, askedOf(gathered), place)
  },
  compileText: (name, written, query, place) => {
    const figure = compileFigure(query, { ...below(place), parameters: new Map() })
    return figure && counterOf(name, written, figured(figure), place)
  },
}

export const gauge: WidgetKind = { ...counter, has: [...counter.has, 'min', 'max'] }

/** A number of a counter: of which figures it is made, and how. */
interface Asked {
  readonly asks: readonly Ask[]
  readonly texts: readonly string[]
  /** How it is written unless the widget says. */
  readonly format: string
  value(figures: readonly Value[], asking: WidgetAsking): Value
}

const askedOf = (ask: Ask): Asked => ({
  asks: [ask],
  texts: [...textsOf(ask.measure), ...ask.where.map(({ source }) => source)],
  format: formatOfMeasure(ask.measure),
  value: ([figure = null]) => figure,
})

const figured = (figure: Figure): Asked => ({
  asks: figure.measures.map((measure) => ({ measure, where: [] })),
  texts: [figure.source, ...figure.measures.flatMap(textsOf)],
  format: formatOfFigure(figure),
  value: (figures, { caller, now }) => figure.evaluate(figures, { user: caller, now }),
})

function counterOf(name: string, written: WrittenWidget, asked: Asked, place: WidgetPlace): Widget {
  const { site, path } = place
  const thresholds = compileThresholds(written.thresholds, [...path, 'thresholds'], site)
  const target = targetOf(written.target, place)
  const facts = shared(name, written, asked.format, place)
  const colors = colorsOf(written)
  const ends = written.type === 'gauge' ? endsOf(written, thresholds, place) : undefined
  const asks = [...asked.asks, ...(target?.asks ?? [])]
  return {
    ...facts,
    type: written.type,
    sources: asks.map(({ measure }) => measure.counted.resource),
    texts: [...asked.texts, ...(target?.texts ?? [])],
    asks,
    closed: { value: null },
    answer(asking, figures) {
      const value = asked.value(figures.slice(0, asked.asks.length), asking)
      const aim = target?.value(figures.slice(asked.asks.length), asking) ?? null
      const threshold = levelOf(value, thresholds)
      return {
        value,
        text: facts.format.write(value, formatsIn(asking)),
        threshold,
        target: aim,
        color: (threshold === null ? undefined : colors.get(threshold)) ?? null,
        ...ends?.(aim),
      }
    },
  }
}

function targetOf(written: WrittenWidget['target'], place: WidgetPlace): Asked | undefined {
  if (typeof written === 'number') return { asks: [], texts: [], format: '', value: () => written }
  if (written === undefined) return undefined
  const path = [...place.path, 'target']
  const figure = compileFigure(written, { ...place, path, parameters: new Map() })
  return figure && figured(figure)
}

/** Where a gauge begins and ends, by its target. */
function endsOf(
  { min = 0, max, target }: WrittenWidget,
  thresholds: readonly Threshold[],
  { site, path }: WidgetPlace,
): (target: Value) => { readonly min: number; readonly max: Value } {
  const greatest = thresholds.length === 0 ? undefined : Math.max(...thresholds.map(({ number }) => number))
  if (max === undefined && target === undefined && greatest === undefined)
    site.problem(
      [...path, 'max'],
      'is missing: nothing says where the gauge ends',
      'Write max, target or thresholds',
    )
  const end = max ?? (target === undefined ? greatest : undefined)
  if (end !== undefined && end <= min)
    site.problem(
      [...path, 'max'],
      `is ${end}, and the gauge begins at ${min}`,
      'Write min and max, ascending',
    )
  return (aim) => ({ min, max: end ?? aim ?? greatest ?? null })
}
