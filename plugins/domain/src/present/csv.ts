import type { Row, Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'

/** One line of CSV with its line end (RFC 4180): the names of the fields. */
export const csvHeader = (fields: readonly Field[]): string => line(fields.map(({ name }) => quoted(name)))

/** One line of CSV with its line end: the fields of a record. */
export const csvLine = (record: Row, fields: readonly Field[]): string =>
  line(fields.map(({ name }) => cell(record[name] ?? null)))

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

function cell(value: Value): string {
  if (value === null) return ''
  if (typeof value === 'string') return quoted(harmless(value))
  return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** What a spreadsheet would take for a formula becomes text. */
const harmless = (text: string): string =>
  /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !NUMBER_OR_PHONE.test(text)) ? `'${text}` : text

const NUMBER_OR_PHONE = /^(?:[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\+[1-9]\d*(?: \d+)*)$/
