import type { Codec, Column, ColumnKind, Value } from '../plan.ts'
import type { Bound, Encode } from './dialect.ts'

const text: Encode = (value) => {
  if (typeof value === 'string') return value
  throw new TypeError(`a string is needed, not ${typeof value}`)
}

const number: Encode = (value) => {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new TypeError(`a finite number is needed, not ${String(value)}`)
}

const integer: Encode = (value) => {
  if (Number.isSafeInteger(value)) return number(value)
  throw new TypeError(`a whole number up to 2^53-1 is needed, not ${String(value)}`)
}

const boolean: Encode = (value) => {
  if (typeof value === 'boolean') return value
  throw new TypeError(`true or false is needed, not ${String(value)}`)
}

/** How values are bound unless a store says otherwise. A value of another kind is refused before any SQL runs. */
export const ENCODE = {
  text,
  integer,
  decimal: number,
  float: number,
  boolean,
  date: text,
  time: text,
  datetime: text,
  uuid: text,
  json: (value) => JSON.stringify(value),
} satisfies Record<ColumnKind, Encode>

/** The value as the driver takes it; `of` is the key of its row where that is known. */
export function bind(
  encode: Readonly<Record<ColumnKind, Encode>>,
  column: Column,
  value: Value,
  of?: string,
): Bound {
  if (value === null) return null
  try {
    const bound = encode[column.kind](value)
    return column.codec === undefined ? bound : sealed(column.codec, value, of)
  } catch (error) {
    throw new TypeError(`column '${column.name}': ${error instanceof Error ? error.message : String(error)}`)
  }
}

function sealed(codec: Codec, value: Exclude<Value, null>, of: string | undefined): string {
  if (codec.bound && of === undefined)
    throw new Error('its values are bound to their rows: the statement has to name the key of one')
  return codec.seal(value, of)
}
