import { stringify } from 'csv-stringify/sync'
import type { Row, Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import { lengthOf } from './length.ts'

/** The values of a line, from the left. */
export type CsvLine = readonly Value[]

/** The fields of a record as a line has them. */
export const lineOf = (record: Row, fields: readonly Field[]): CsvLine =>
  fields.map(({ name }) => record[name] ?? null)

/** What is written in one go, in characters: everybody else waits meanwhile. */
const PART = 500_000

/**
 * A header, and the lines behind it as they are read, which begins before the header leaves: a refusal comes first. Parts are not
 * long, but for a line that is long by itself.
 */
export async function* csvLines(
  header: CsvLine,
  read: AsyncIterable<Iterable<CsvLine>>,
): AsyncGenerator<string> {
  let before = csvText([header])
  for await (const lines of read) {
    if (before !== '') yield before
    before = ''
    yield* partsOf(lines)
  }
  if (before !== '') yield before
}

function* partsOf(lines: Iterable<CsvLine>): Generator<string> {
  let part: CsvLine[] = []
  let length = 0
  for (const line of lines) {
    part.push(line)
    length += lengthOf(line)
    if (length < PART) continue
    yield csvText(part)
    part = []
    length = 0
  }
  if (part.length > 0) yield csvText(part)
}

/** Lines of CSV of values: null is empty, lists and objects are JSON, and no text is taken for a formula. */
export const csvText = (lines: readonly CsvLine[]): string => csv(lines.map((line) => line.map(cell)))

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
