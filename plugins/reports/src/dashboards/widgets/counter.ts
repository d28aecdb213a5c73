import { compileFigure, type Figure } from '../../aggregates/figure.ts'
import { formatOfFigure } from '../../reports/metrics.ts'
import type { Asked, CounterWidget } from '../dashboard.ts'
import type { WrittenWidget } from '../definition.ts'
import { compileThresholds } from '../thresholds.ts'
import { formatOfMeasure } from './gathered.ts'
import { shared, type WidgetPlace } from './place.ts'

/** Compiles a counter, a scorecard or a gauge. */
export function counterOf(
  name: string,
  written: WrittenWidget,
  asked: Asked,
  place: WidgetPlace,
): CounterWidget {
  const { site, path } = place
  const thresholds = compileThresholds(written.thresholds, [...path, 'thresholds'], site)
  const target = targetOf(written.target, place)
  const greatest = thresholds.length === 0 ? undefined : Math.max(...thresholds.map(({ number }) => number))
  const type = written.type as CounterWidget['type']
  if (type === 'gauge' && written.max === undefined && written.target === undefined && greatest === undefined)
    site.problem(
      [...path, 'max'],
      'is missing: nothing says where the gauge ends',
      'Write max, target or thresholds',
    )
  const min = written.min ?? 0
  const max = written.max ?? (written.target === undefined ? greatest : undefined)
  if (type === 'gauge' && max !== undefined && max <= min)
    site.problem(
      [...path, 'max'],
      `is ${max}, and the gauge begins at ${min}`,
      'Write min and max, ascending',
    )
  const usual = asked.figure ? formatOfFigure(asked.figure) : formatOfMeasure(asked.measure)
  return {
    ...shared(name, written, usual, place),
    type,
    asked,
    thresholds,
    target,
    min,
    max,
  }
}

function targetOf(
  written: WrittenWidget['target'],
  { site, views, path }: WidgetPlace,
): number | Figure | undefined {
  if (typeof written !== 'string') return written
  return compileFigure(written, { site, views, path: [...path, 'target'], parameters: new Map() })
}
