import type { Dialect } from './compile/dialect.ts'
import { type Column, type Row, TEXT, type Value } from './plan.ts'

/** Rows as a driver made them, still free to be changed. */
export type RawRows = Record<string, Value>[]

/** Turns stored values into their JSON form, in place. */
export type DecodeRows = (rows: RawRows) => readonly Row[]

/** The decoder of a list of columns; undefined where every value has its JSON form already. */
export function rowDecoder(columns: readonly Column[], decode: Dialect['decode']): DecodeRows | undefined {
  const steps = columns.flatMap(({ name, kind, codec }) => {
    const toJson = codec === undefined ? decode[kind] : (kept: Value) => codec.open(String(kept))
    return toJson === undefined ? [] : [{ name, toJson }]
  })
  if (steps.length === 0) return undefined
  return (rows) => {
    for (const row of rows) {
      for (const { name, toJson } of steps) {
        const value = row[name]
        if (value !== null && value !== undefined) row[name] = toJson(value)
      }
    }
    return rows
  }
}

/** Writes the text of `columns` into rows, after `decode`. Rows that hold nothing else are written as they are. */
export function textWriter(
  columns: readonly Column[],
  isAll: boolean,
  decode: DecodeRows | undefined,
): DecodeRows {
  const names = columns.map(({ name }) => name)
  return (rows) => {
    decode?.(rows)
    if (isAll) return rows.map((row) => ({ [TEXT]: JSON.stringify(row) }))
    for (const row of rows) {
      const shown: Record<string, Value> = {}
      for (const name of names) shown[name] = row[name] ?? null
      row[TEXT] = JSON.stringify(shown)
    }
    return rows
  }
}
