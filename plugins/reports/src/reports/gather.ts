import { labelledFormats, type Asker, type Data, type Locale } from '@svc/domain/contract'
import type { BindingContext } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
import type { Column, Measure, Order, Row, Scalar, Value } from '@svc/store/contract'
import { answersOf, bindingOf, conditionsOf, FORBIDDEN, inScope } from '../aggregates/ask.ts'
import { beginningOf, type Gathering, keyOf, zoneFor } from '../aggregates/interval.ts'
import { measureOf, overNothing } from '../aggregates/measure.ts'
import { labelsOf } from '../formats/format.ts'
import { fieldsOf, shownColumns, valuesOf } from '../views/shown.ts'
import type { ViewColumn } from '../views/view.ts'
import { MOST_ROWS } from './definition.ts'
import type { Metric, TableSection, Total } from './report.ts'

/** For whom a report is worked out, and with what. */
export interface ReportAsking {
  readonly data: Data
  readonly caller: Caller
  readonly asker: Asker
  readonly parameters: Readonly<Record<string, Value>>
  readonly locale: Locale
  /** Whether it leaves as a file. */
  readonly isExport: boolean
  now(): number
}

/** A figure as it was worked out; undefined: the caller may not be told. */
export async function figuresOf(
  metrics: readonly Metric[],
  asking: ReportAsking,
): Promise<readonly (Value | undefined)[]> {
  const asks = metrics.flatMap(({ figure }) => figure.measures.map((measure) => ({ measure, where: [] })))
  const answers = await answersOf(asks, asking, asking)
  let at = 0
  return metrics.map(({ figure }) => {
    const own = answers.slice(at, (at += figure.measures.length))
    const told = own.flatMap((one) => (one === FORBIDDEN ? [] : [one]))
    if (told.length < own.length) return undefined
    const { caller, parameters, now } = asking
    return figure.evaluate(told, { user: caller, parameters, now })
  })
}

/** What rows come to, by the names of columns. */
export type Totals = Readonly<Record<string, Value>>

/** A total with what its formula is bound to: it may reach records that nothing else of the table does. */
interface SeenTotal extends Total {
  readonly binding: BindingContext
}

/** A table as one caller sees it. */
export interface SeenTable {
  readonly section: TableSection
  readonly columns: readonly ViewColumn[]
  readonly totals: readonly SeenTotal[]
  readonly binding: BindingContext
  /** By what its rows are gathered. */
  readonly group:
    | { readonly scalar: Scalar; readonly column: Column; readonly gathering: Gathering | undefined }
    | undefined
}

const GROUP = '~group'

/** What a caller sees of a table; undefined where it may not be told of it. */
export function seenTable(section: TableSection, asking: ReportAsking): SeenTable | undefined {
  const { view, counted, filter, grouping, totals } = section
  const filters = filter ? [filter] : []
  const columns = shownColumns(view, asking.data, asking.caller)
  const binding = bindingOf(counted, filters, grouping ? [grouping.formula] : [], asking)
  if (binding === undefined || (grouping && !columns.includes(grouping.column))) return undefined
  return {
    section,
    columns,
    totals: totals.flatMap((total) => {
      const isThere = columns.includes(total.column)
      const own = isThere ? bindingOf(counted, filters, [total.formula], asking) : undefined
      return own ? [{ ...total, binding: own }] : []
    }),
    binding,
    group: grouping && groupOf(grouping, binding, asking),
  }
}

const KINDS = { number: 'float', boolean: 'boolean' } as const

function groupOf(
  { formula, interval, timezone }: NonNullable<TableSection['grouping']>,
  binding: BindingContext,
  { data, locale }: ReportAsking,
): SeenTable['group'] {
  const scalar = formula.scalar(binding)
  if (interval === undefined) {
    const { kind } = formula
    const known = kind === 'number' || kind === 'boolean' ? KINDS[kind] : 'text'
    return {
      scalar,
      column: { name: GROUP, kind: formula.column?.kind ?? known, nullable: true },
      gathering: undefined,
    }
  }
  const zone = zoneFor(formula, timezone ?? labelledFormats(data.model, locale, undefined).timezone)
  const gathering = { interval, zone }
  return {
    scalar: beginningOf(scalar, gathering),
    column: { name: GROUP, kind: 'text', nullable: true },
    gathering,
  }
}

const questionOf = ({ section: { counted, filter }, binding }: SeenTable, isExport: boolean) => ({
  query: inScope(counted),
  where: conditionsOf(counted, filter ? [filter] : [], binding),
  isExport,
})

const measuresOf = ({ totals }: SeenTable): Readonly<Record<string, Measure>> => ({
  count: { fn: 'count' },
  ...Object.fromEntries(
    totals.map(({ fn, formula, binding }, at) => [`t${at}`, measureOf(fn, formula.scalar(binding))]),
  ),
})

const totalsIn = (row: Row, { totals }: SeenTable): Totals =>
  Object.fromEntries(totals.map(({ column, fn }, at) => [column.name, row[`t${at}`] ?? overNothing(fn)]))

/** How many rows a table has in all, and what they come to. */
export async function wholeOf(table: SeenTable, { data, asker, isExport }: ReportAsking) {
  const [row = {}] = await data.aggregate(
    table.section.counted.resource,
    { ...questionOf(table, isExport), by: {}, measures: measuresOf(table) },
    asker,
  )
  return { count: Number(row['count'] ?? 0), totals: totalsIn(row, table) }
}

/** A group of rows, without them. */
export interface Group {
  readonly value: Value
  readonly label: string
  readonly count: number
  readonly totals: Totals
  /** What rows of the group have as theirs. */
  readonly key: string
}

/** The groups of a table, null first, ascending; no more than there may be. */
export async function groupsOf(
  table: SeenTable,
  asking: ReportAsking,
): Promise<{ readonly groups: readonly Group[]; readonly isCut: boolean }> {
  const { group, section } = table
  if (group === undefined) return { groups: [], isCut: false }
  const rows = await asking.data.aggregate(
    section.counted.resource,
    {
      ...questionOf(table, asking.isExport),
      by: { group: group.scalar },
      measures: measuresOf(table),
      order: [{ by: 'group', descending: false }],
      limit: MOST_ROWS + 1,
    },
    asking.asker,
  )
  const labelOf = groupLabel(table, asking)
  const groups = rows.slice(0, MOST_ROWS).map((row): Group => {
    const found = row['group'] ?? null
    const value = group.gathering ? keyOf(found, group.gathering) : found
    return {
      value,
      label: labelOf(value),
      count: Number(row['count'] ?? 0),
      totals: totalsIn(row, table),
      key: JSON.stringify(found),
    }
  })
  return { groups, isCut: rows.length > MOST_ROWS }
}

/** How a group is called for a reader. */
export function groupLabel({ section: { grouping }, group }: SeenTable, { data, locale }: ReportAsking) {
  const { model } = data
  const formats = labelledFormats(model, locale, undefined)
  return (value: Value): string => {
    if (value === null || grouping === undefined) return ''
    if (group?.gathering) return String(value)
    const { format, enumeration } = grouping.column
    return format.write(value, formats, enumeration && labelsOf(enumeration, model.localizer, locale))
  }
}

/** Rows by the keys of their groups. */
export function gatheredRows(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const key = JSON.stringify(row[GROUP] ?? null)
    const own = found.get(key)
    if (own) own.push(row)
    else found.set(key, [row])
  }
  return found
}

/** What rows have as the value of their group. */
export const groupValue = (row: Row, { group }: SeenTable): Value =>
  group?.gathering ? keyOf(row[GROUP] ?? null, group.gathering) : (row[GROUP] ?? null)

/** The rows of a table in its order, `size` at a time. */
export function rowsOf(
  table: SeenTable,
  { data, asker, isExport }: ReportAsking,
  { highlights, size }: { readonly highlights: boolean; readonly size?: number },
): AsyncIterable<readonly Row[]> {
  const { section, columns, group } = table
  const first: readonly Order[] = group ? [{ column: group.column, descending: false, by: group.scalar }] : []
  const asked = {
    ...questionOf(table, isExport),
    order: [...first, ...section.view.order],
    fields: fieldsOf(columns),
    values: valuesOf(columns, { highlights }),
    ...(group && { worked: [{ column: group.column, scalar: group.scalar }] }),
  }
  return data.stream(section.counted.resource, asked, asker, size)
}

/** The first rows of a table. */
export async function someRows(
  table: SeenTable,
  asking: ReportAsking,
  highlights: boolean,
): Promise<readonly Row[]> {
  const { limit } = table.section
  const rows: Row[] = []
  if (limit === 0) return rows
  for await (const part of rowsOf(table, asking, { highlights, size: Math.min(limit, 200) })) {
    rows.push(...part)
    if (rows.length >= limit) break
  }
  return rows.slice(0, limit)
}
