import type { Dialect } from './compile/dialect.ts'
import type { Column, Row, Value } from './plan.ts'

/** Rows as a driver made them, still free to be changed. */
export type RawRows = Record<string, Value>[]

/** Turns stored values into their JSON form, in place. */
export type DecodeRows = (rows: RawRows) => readonly Row[]

/** The decoder of a list of columns; undefined where every value has its JSON form already. */
export function rowDecoder(columns: readonly Column[], decode: Dialect['decode']): DecodeRows | undefined {
  const steps = columns.flatMap(({ name, kind }) => {
    const toJson = decode[kind]
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
