import { labelledFormats } from '@svc/domain/contract'
import type { Row } from '@svc/store/contract'
import { columnFacts, itemOf } from '../views/shown.ts'
import {
  figuresOf,
  gatheredRows,
  groupsOf,
  type ReportAsking,
  seenTable,
  someRows,
  wholeOf,
} from './gather.ts'
import type { Report, Section } from './report.ts'

/** The answer of a report. */
export async function jsonOf(report: Report, asking: ReportAsking, generatedAt: string): Promise<object> {
  const { data, locale, parameters } = asking
  const { localizer } = data.model
  const sections: object[] = []
  for (const section of report.sections) sections.push(await sectionOf(section, asking))
  return {
    report: report.name,
    label: localizer.text(report.label, locale) ?? report.name,
    description: localizer.text(report.description, locale) ?? null,
    generatedAt,
    parameters,
    ...linesOf(report, asking),
    sections,
  }
}

/** The texts above and below a report. */
export function linesOf(
  { header, footer }: Report,
  { caller, parameters, locale, now }: ReportAsking,
): { readonly header: string | null; readonly footer: string | null } {
  const context = { user: caller, parameters, now }
  return { header: header?.fill(context, locale) ?? null, footer: footer?.fill(context, locale) ?? null }
}

async function sectionOf(section: Section, asking: ReportAsking): Promise<object> {
  const { data, locale } = asking
  const { localizer } = data.model
  const title = localizer.text(section.title, locale) ?? null
  if (section.kind === 'metrics') return { type: 'metrics', title, metrics: await metricsOf(section, asking) }
  const { table } = section
  const facts = { type: 'table', title, view: table.view.name }
  const seen = seenTable(table, asking)
  if (seen === undefined) return { ...facts, forbidden: true }
  const rows = await someRows(seen, asking, true)
  const whole = await wholeOf(seen, asking)
  const isKeyShown =
    data.access(table.view.source, asking.caller).readable(table.view.source.key.name) !== undefined
  const item = (row: Row) => itemOf(row, table.view, seen.columns, isKeyShown)
  const { groups, isCut } = await groupsOf(seen, asking)
  const byGroup = gatheredRows(seen.group ? rows : [])
  return {
    ...facts,
    columns: columnFacts(seen.columns, localizer, locale),
    ...(seen.group
      ? {
          groups: groups.map(({ key, value, label, count, totals }) => ({
            value,
            label,
            count,
            totals,
            items: (byGroup.get(key) ?? []).map(item),
          })),
        }
      : { items: rows.map(item) }),
    count: rows.length,
    totalCount: whole.count,
    totals: whole.totals,
    truncated: isCut || rows.length < whole.count,
    ...(whole.count === 0 && { emptyMessage: localizer.text(table.emptyMessage, locale) ?? null }),
  }
}

async function metricsOf(
  { metrics }: Extract<Section, { kind: 'metrics' }>,
  asking: ReportAsking,
): Promise<readonly object[]> {
  const { model } = asking.data
  const formats = labelledFormats(model, asking.locale, undefined)
  const values = await figuresOf(metrics, asking)
  return metrics.map(({ label, format }, at) => {
    const value = values[at]
    const facts = {
      label: model.localizer.text(label, asking.locale) ?? '',
      value: value ?? null,
      format: format.written,
    }
    return value === undefined
      ? { ...facts, text: '', forbidden: true }
      : { ...facts, text: format.write(value, formats) }
  })
}
