import {
  type Data,
  type Expression,
  type Localizer,
  type Locale,
  labelledFormats,
  type Text,
} from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { labelsOf } from '../formats/format.ts'
import type { View, ViewColumn } from './view.ts'

/** The columns that a caller sees; those over fields that it may not read are not there. */
export const shownColumns = (
  { source, columns }: View,
  data: Data,
  caller: Caller,
): readonly ViewColumn[] => {
  const access = data.access(source, caller)
  return columns.filter(({ of }) => {
    if (of.kind === 'computed') return true
    if (of.kind === 'field') return access.readable(of.field.name) !== undefined
    if (access.readable(of.near) === undefined) return false
    if (of.field === undefined || of.target === undefined) return true
    return data.access(of.target, caller).readable(of.fieldName) !== undefined
  })
}

/** The stored or worked fields of the source among columns. */
export const fieldsOf = (columns: readonly ViewColumn[]): readonly string[] =>
  columns.flatMap(({ of }) => (of.kind === 'field' ? of.field.name : []))

const VALUE = '~v'
const HIGHLIGHT = '~h'

/** What has to be worked out of each record to show these columns. */
export function valuesOf(
  columns: readonly ViewColumn[],
  { highlights: withHighlights }: { readonly highlights: boolean },
): Readonly<Record<string, Expression>> {
  const entries = columns.flatMap(({ of, highlights }, at): readonly (readonly [string, Expression])[] => [
    ...(of.kind === 'field' ? [] : [[`${VALUE}${at}`, of.expression] as const]),
    ...(withHighlights
      ? highlights.map(({ condition }, nth) => [`${HIGHLIGHT}${at}.${nth}`, condition] as const)
      : []),
  ])
  return Object.fromEntries(entries)
}

/** The value of each column, in their order, of a record that was read with `valuesOf` them. */
export const cellsOf = (record: Row, columns: readonly ViewColumn[]): readonly Value[] =>
  columns.map(({ of }, at) => record[of.kind === 'field' ? of.field.name : `${VALUE}${at}`] ?? null)

/** The styles in which columns stand out, by their names. */
export function highlightsOf(record: Row, columns: readonly ViewColumn[]): Readonly<Record<string, string>> {
  const styles: Record<string, string> = {}
  for (const [at, { name, highlights }] of columns.entries()) {
    const found = highlights.find((_, nth) => record[`${HIGHLIGHT}${at}.${nth}`] === true)
    if (found) styles[name] = found.style
  }
  return styles
}

/** What a column is headed by, in the words that texts are said in. */
export const headingOf = (
  { name, label, fieldLabel }: Pick<ViewColumn, 'name' | 'label' | 'fieldLabel'>,
  say: (text: Text | undefined) => string | undefined,
): string => say(label) ?? say(fieldLabel) ?? name

/** What columns are headed by for a reader. */
export const headings = (
  columns: readonly ViewColumn[],
  localizer: Localizer,
  locale: Locale,
): readonly string[] => columns.map((column) => headingOf(column, (text) => localizer.text(text, locale)))

/** What answers say of columns. */
export function columnFacts(columns: readonly ViewColumn[], localizer: Localizer, locale: Locale) {
  const labels = headings(columns, localizer, locale)
  return columns.map(({ name, format }, at) => ({ name, label: labels[at]!, format: format.written }))
}

/** A record as an item of a view: its key, its columns, and what stands out. */
export function itemOf(record: Row, view: View, columns: readonly ViewColumn[], isKeyShown: boolean): Row {
  const { name: key } = view.source.key
  const cells = cellsOf(record, columns)
  return {
    ...(isKeyShown && { [key]: record[key] ?? null }),
    ...Object.fromEntries(columns.map(({ name }, at) => [name, cells[at] ?? null])),
    _highlights: highlightsOf(record, columns),
  }
}

/** Writes the cells of a record as texts for a reader. */
export function textsOf(
  columns: readonly ViewColumn[],
  data: Data,
  locale: Locale,
): (cells: readonly Value[]) => readonly string[] {
  const { model } = data
  const formats = labelledFormats(model, locale, undefined)
  const writers = columns.map(({ format, enumeration }) => {
    const labelOf = enumeration && labelsOf(enumeration, model.localizer, locale)
    return (value: Value) => format.write(value, formats, labelOf)
  })
  return (cells) => writers.map((write, at) => write(cells[at] ?? null))
}
