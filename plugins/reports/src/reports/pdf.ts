import { labelledFormats } from '@svc/domain/contract'
import type { Formats } from '@svc/expression/contract'
import {
  type Align,
  type Block,
  type Document,
  type Inline,
  PLAIN_LAYOUT,
  type Settings,
  type TableRow,
} from '@svc/render/contract'
import type { Row, Value } from '@svc/store/contract'
import { compileFormat, formatOfField, labelsOf } from '../formats/format.ts'
import { cellsOf, headings, textsOf } from '../views/shown.ts'
import type { ViewColumn } from '../views/view.ts'
import {
  figuresOf,
  type Group,
  gatheredRows,
  groupsOf,
  type ReportAsking,
  seenTable,
  type SeenTable,
  someRows,
  type Totals,
  wholeOf,
} from './gather.ts'
import { linesOf } from './json.ts'
import type { Report, Section } from './report.ts'

/** From so many columns on pages lie on their side. */
const WIDE = 7

/** The document of a report, and how its pages look. */
export async function documentOf(
  report: Report,
  asking: ReportAsking,
): Promise<{ readonly document: Document; readonly settings: Settings }> {
  const { data, locale } = asking
  const { model } = data
  const { localizer } = model
  const formats = labelledFormats(model, locale, undefined)
  const title = localizer.text(report.label, locale) ?? report.name
  const { header, footer } = linesOf(report, asking)
  const children: Block[] = [heading(1, title)]
  if (header) children.push(paragraph(header))
  children.push(...parametersOf(report, asking, formats))
  let widest = 0
  for (const section of report.sections) {
    const blocks = await sectionOf(section, asking, formats)
    widest = Math.max(widest, blocks.width)
    children.push(...blocks.children)
  }
  if (footer) children.push(paragraph(footer))
  return {
    document: {
      children,
      footer: { left: [], center: [], right: [{ type: 'page' }, words(' / '), { type: 'pages' }] },
      pictures: [],
    },
    settings: {
      title,
      language: formats.locale,
      isRightToLeft: RIGHT_TO_LEFT.test(formats.locale),
      layout: { ...PLAIN_LAYOUT, orientation: widest >= WIDE ? 'landscape' : 'portrait' },
    },
  }
}

const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|ps|sd|ug|ur|yi)\b/i

const words = (value: string): Inline => ({ type: 'text', value })
const paragraph = (value: string): Block => ({ type: 'paragraph', children: [words(value)] })
const heading = (depth: 1 | 2 | 3, value: string): Block => ({
  type: 'heading',
  depth,
  children: [words(value)],
})

function parametersOf(
  { parameters }: Report,
  { data, locale, parameters: values }: ReportAsking,
  formats: Formats,
): readonly Block[] {
  const { localizer } = data.model
  const lines = parameters.flatMap(({ name, label, compiled, enumeration }) => {
    const value = values[name] ?? null
    if (value === null) return []
    const format = compileFormat(undefined, formatOfField({ compiled }), [], { problem: () => undefined })
    const labelOf = enumeration && labelsOf(enumeration, localizer, locale)
    return `${localizer.text(label, locale) ?? name}: ${format.write(value, formats, labelOf)}`
  })
  return lines.length === 0 ? [] : [paragraph(lines.join(' · '))]
}

interface Blocks {
  readonly children: readonly Block[]
  /** How many columns its table has. */
  readonly width: number
}

async function sectionOf(section: Section, asking: ReportAsking, formats: Formats): Promise<Blocks> {
  const { localizer } = asking.data.model
  const title = localizer.text(section.title, asking.locale)
  const above = title === undefined ? [] : [heading(2, title)]
  if (section.kind === 'metrics') {
    const values = await figuresOf(section.metrics, asking)
    const rows = section.metrics.map(({ label, format }, at) =>
      row([localizer.text(label, asking.locale) ?? '', format.write(values[at] ?? null, formats)]),
    )
    return {
      children: [...above, { type: 'table', align: [null, 'right'], children: [row(['', '']), ...rows] }],
      width: 2,
    }
  }
  const seen = seenTable(section.table, asking)
  if (seen === undefined) return { children: above, width: 0 }
  return { children: [...above, ...(await tableOf(seen, asking))], width: seen.columns.length }
}

const row = (cells: readonly string[]): TableRow => ({
  type: 'tableRow',
  children: cells.map((cell) => ({ type: 'tableCell', children: cell === '' ? [] : [words(cell)] })),
})

async function tableOf(seen: SeenTable, asking: ReportAsking): Promise<readonly Block[]> {
  const { data, locale } = asking
  const { localizer } = data.model
  const { columns, section } = seen
  const whole = await wholeOf(seen, asking)
  if (whole.count === 0) {
    const message = localizer.text(section.emptyMessage, locale)
    return message === undefined ? [] : [paragraph(message)]
  }
  const rows = await someRows(seen, asking, false)
  const { groups, isCut } = await groupsOf(seen, asking)
  const write = textsOf(columns, data, locale)
  const totals = totalsWriter(columns, asking)
  const header = row(headings(columns, localizer, locale))
  const table = (some: readonly Row[], sums: Totals): Block => ({
    type: 'table',
    align: columns.map(alignOf),
    children: [header, ...some.map((one) => row(write(cellsOf(one, columns)))), ...totals(sums)],
  })
  const missing = whole.count - rows.length
  return [
    ...(seen.group ? groupsIn(groups, rows, table) : [table(rows, whole.totals)]),
    ...(seen.group && seen.totals.length > 0 ? [table([], whole.totals)] : []),
    ...(missing > 0 || isCut ? [paragraph(`… ${missing} more`)] : []),
  ]
}

function groupsIn(
  groups: readonly Group[],
  rows: readonly Row[],
  table: (rows: readonly Row[], totals: Totals) => Block,
): readonly Block[] {
  const byGroup = gatheredRows(rows)
  return groups.flatMap(({ key, label, count, totals }) => [
    heading(3, `${label === '' ? '–' : label} (${count})`),
    table(byGroup.get(key) ?? [], totals),
  ])
}

/** The line of totals, where there are some. */
function totalsWriter(
  columns: readonly ViewColumn[],
  { data, locale }: ReportAsking,
): (totals: Totals) => readonly TableRow[] {
  const formats = labelledFormats(data.model, locale, undefined)
  return (totals) => {
    if (Object.keys(totals).length === 0) return []
    const cell = ({ name, format }: ViewColumn): Inline[] => {
      const value: Value = totals[name] ?? null
      return value === null ? [] : [{ type: 'strong', children: [words(format.write(value, formats))] }]
    }
    return [
      { type: 'tableRow', children: columns.map((one) => ({ type: 'tableCell', children: cell(one) })) },
    ]
  }
}

const NUMBERS = /^(?:integer|decimal|money|percentage|bytes)\b/

const alignOf = ({ format }: ViewColumn): Align => (NUMBERS.test(format.written) ? 'right' : null)
