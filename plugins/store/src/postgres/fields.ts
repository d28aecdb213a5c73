import type { FieldDef } from 'pg'
import { TEXT, type Value } from '../plan.ts'
import { jsonWriterOf, parserOf } from './parsers.ts'

/** A row as the driver hands it out: the text of each field. */
export type Fields = readonly (string | null)[]
/** A row as the store answers it. */
export type ReadFields = (fields: Fields) => Record<string, Value>

/** Which columns of an answer leave as one text; those of `values` come first, and leave as values. */
export interface TextOfFields {
  readonly columns: readonly string[]
  readonly values: number
}

/** How the rows of a statement are read that the server describes so. */
export function fieldReader(described: readonly FieldDef[], text: TextOfFields | undefined): ReadFields {
  const names = described.map(({ name }) => name)
  const parsers = described.map(({ dataTypeID }) => parserOf(dataTypeID))
  const count = text?.values ?? names.length
  const write = text && textOfFields(described, text.columns)
  return (fields) => {
    const row: Record<string, Value> = {}
    for (let at = 0; at < count; at += 1) {
      const field = fields[at]!
      row[names[at]!] = field === null ? null : parsers[at]!(field)
    }
    if (write !== undefined) row[TEXT] = write(fields)
    return row
  }
}

/** The JSON object of `columns`, made of the fields as they are: no value is made of any. */
function textOfFields(
  described: readonly FieldDef[],
  columns: readonly string[],
): (fields: Fields) => string {
  const places = columns.map((column) => described.findIndex(({ name }) => name === column))
  const writers = places.map((place) => jsonWriterOf(described[place]!.dataTypeID))
  const starts = columns.map((column, at) => `${at === 0 ? '{' : ','}${JSON.stringify(column)}:`)
  return (fields) => {
    let text = ''
    for (let at = 0; at < starts.length; at += 1) {
      const field = fields[places[at]!]!
      text += starts[at]!
      text += field === null ? 'null' : writers[at]!(field)
    }
    return `${text}}`
  }
}
