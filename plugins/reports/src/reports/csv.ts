import { csvLines, csvText } from '@svc/domain/contract'
import type { Value } from '@svc/store/contract'
import { cellsOf, headings } from '../views/shown.ts'
import type { ViewColumn } from '../views/view.ts'
import {
  figuresOf,
  groupValue,
  type ReportAsking,
  rowsOf,
  seenTable,
  type SeenTable,
  wholeOf,
} from './gather.ts'
import type { Section } from './report.ts'

/** The sections as CSV, an empty line between them. */
export async function* csvOf(sections: readonly Section[], asking: ReportAsking): AsyncGenerator<string> {
  for (const [at, section] of sections.entries()) {
    if (at > 0) yield '\r\n'
    yield* section.kind === 'metrics' ? metricsOf(section, asking) : tableOf(section, asking)
  }
}

async function* metricsOf(
  { metrics }: Extract<Section, { kind: 'metrics' }>,
  asking: ReportAsking,
): AsyncGenerator<string> {
  const { localizer } = asking.data.model
  const values = await figuresOf(metrics, asking)
  yield csvText(
    metrics.map(({ label }, at) => [localizer.text(label, asking.locale) ?? '', values[at] ?? null]),
  )
}

async function* tableOf(
  { table, title }: Extract<Section, { kind: 'table' }>,
  asking: ReportAsking,
): AsyncGenerator<string> {
  const { localizer } = asking.data.model
  const seen = seenTable(table, asking)
  if (seen === undefined) {
    yield csvText([[localizer.text(title, asking.locale) ?? '']])
    return
  }
  const columns = ordered(seen)
  yield* csvLines(headings(columns, localizer, asking.locale), linesOf(seen, asking))
  if (seen.totals.length > 0) {
    const { totals } = await wholeOf(seen, asking)
    yield csvText([columns.map(({ name }) => totals[name] ?? null)])
  }
}

async function* linesOf(seen: SeenTable, asking: ReportAsking) {
  for await (const rows of rowsOf(seen, asking, { highlights: false }))
    yield rows.map((row) => placed(cellsOf(row, seen.columns), groupValue(row, seen), seen))
}

/** The column of groups comes first. */
const ordered = ({ columns, section: { grouping } }: SeenTable): readonly ViewColumn[] =>
  grouping ? [grouping.column, ...columns.filter((one) => one !== grouping.column)] : columns

function placed(
  cells: readonly Value[],
  group: Value,
  { columns, section: { grouping } }: SeenTable,
): readonly Value[] {
  if (grouping === undefined) return cells
  const at = columns.indexOf(grouping.column)
  return [group, ...cells.filter((_, index) => index !== at)]
}
