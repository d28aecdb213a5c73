import type { Dialect } from './compile/dialect.ts'
import { OWNER } from './compile/owner.ts'
import { type Column, type Row, TEXT, type Value } from './plan.ts'

/** Rows as a driver made them, still free to be changed. */
export type RawRows = Record<string, Value>[]

/** Turns stored values into their JSON form, in place. */
export type DecodeRows = (rows: RawRows) => readonly Row[]

interface Step {
  readonly name: string
  toJson(kept: Value, row: Record<string, Value>): Value
}

/**
 * The decoder of a list of columns; undefined where every value has its JSON form already. `key` is that of the table:
 * values that are bound to rows are opened by it, once it has its own form.
 */
export function rowDecoder(
  columns: readonly Column[],
  decode: Dialect['decode'],
  key?: Column,
): DecodeRows | undefined {
  const isBeside = columns.some(({ name }) => name === OWNER)
  const owner = isBeside ? OWNER : (key?.name ?? OWNER)
  const plain = columns.flatMap(({ name, kind, codec }): Step[] => {
    const toJson = codec === undefined ? decode[kind] : undefined
    return toJson === undefined ? [] : [{ name, toJson }]
  })
  const sealed = columns.flatMap(({ name, codec }): Step[] => {
    if (codec === undefined) return []
    if (!codec.bound) return [{ name, toJson: (kept) => codec.open(String(kept)) }]
    return [{ name, toJson: (kept, row) => codec.open(String(kept), String(row[owner])) }]
  })
  const steps = [...plain, ...sealed]
  if (steps.length === 0) return undefined
  return (rows) => {
    for (const row of rows) {
      for (const { name, toJson } of steps) {
        const value = row[name]
        if (value !== null && value !== undefined) row[name] = toJson(value, row)
      }
      if (isBeside) delete row[OWNER]
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
