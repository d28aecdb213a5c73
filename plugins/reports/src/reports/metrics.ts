import type { Path } from '@svc/domain/contract'
import { compileFigure, type Figure } from '../aggregates/figure.ts'
import { compileFormat, formatOfField, formatOfKind } from '../formats/format.ts'
import type { ReportPlace } from './place.ts'
import type { WrittenSection } from './definition.ts'
import type { Metric } from './report.ts'
import { word } from '../words.ts'

/** Compiles figures; those that were reported as wrong are left out. */
export function compileMetrics(
  written: NonNullable<WrittenSection['metrics']>,
  { site, views, parameters }: ReportPlace,
  path: Path,
): readonly Metric[] {
  return written.flatMap(({ label, value, format }, at) => {
    const place = [...path, at]
    const figure = compileFigure(value, { site, path: [...place, 'value'], views, parameters })
    const compiled = compileFormat(
      format,
      figure ? formatOfFigure(figure) : 'text',
      [...place, 'format'],
      site,
    )
    return figure
      ? { label: word('reports', [...place, 'label'], label, site), figure, format: compiled }
      : []
  })
}

/** An aggregate that stands alone is written as its field is. */
export function formatOfFigure({ measures: [first], isAlone, kind }: Figure): string {
  if (!isAlone || first === undefined) return formatOfKind(kind)
  const { fn, formula } = first
  if (fn === 'count' || fn === 'countDistinct') return 'integer'
  return formula?.field ? formatOfField(formula.field) : formatOfKind(kind)
}
