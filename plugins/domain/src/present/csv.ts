import { stringify } from 'csv-stringify/sync'
import type { Row, Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'

/** The first line of CSV with its line end (RFC 4180): the names of the fields. */
export const csvHeader = (fields: readonly Field[]): string => csv([fields.map(({ name }) => name)])

/** Lines of CSV with their line ends: the fields of each record. */
export const csvLines = (records: readonly Row[], fields: readonly Field[]): string =>
  csvText(records.map((record) => fields.map(({ name }) => record[name] ?? null)))

/** Lines of CSV of values: null is empty, lists and objects are JSON, and no text is taken for a formula. */
export const csvText = (lines: readonly (readonly Value[])[]): string =>
  csv(lines.map((line) => line.map(cell)))

/** The library quotes a whole line end; a part of one ends lines for some readers too. */
const csv = (rows: readonly (readonly string[])[]): string =>
  stringify([...rows], { record_delimiter: 'windows', quoted_match: /[\r\n]/ })

function cell(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string') return harmless(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What a spreadsheet would take for a formula becomes text. */
export const harmless = (text: string): string =>
  /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !NUMBER_OR_PHONE.test(text)) ? `'${text}` : text

const NUMBER_OR_PHONE = /^(?:[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\+[1-9]\d*(?: \d+)*)$/
