import { type CustomTypesConfig, types } from 'pg'
import type { Value } from '../plan.ts'

/** Completes `10:20` or `10:20:30.5` to milliseconds. */
const milliseconds = (time: string): string => (time.length === 8 ? `${time}.000` : time.padEnd(12, '0'))

/** `2026-01-31 10:20:30.5+00`; the session's time zone is UTC. Years beyond four digits stay as they are. */
function instant(text: string): string {
  if (!text.endsWith('+00') || text[10] !== ' ') return text
  return `${text.slice(0, 10)}T${milliseconds(text.slice(11, -3))}Z`
}

const verbatim = (text: string): string => text

type Parse = (text: string) => Value

/** How each type of the server's catalog (its `pg_type.oid`) becomes a JSON value. */
const PARSERS: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [types.builtins.BOOL, (text) => text === 't'],
  [types.builtins.INT2, Number],
  [types.builtins.INT4, Number],
  [types.builtins.INT8, Number],
  [types.builtins.FLOAT4, Number],
  [types.builtins.FLOAT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.TIMESTAMPTZ, instant],
  [types.builtins.JSON, (text) => JSON.parse(text)],
  [types.builtins.JSONB, (text) => JSON.parse(text)],
])

/** The parser of a type; what it answers is the value itself. */
export const parserOf = (type: number): Parse => PARSERS.get(type) ?? verbatim

/** The types of one pool; the driver's own table, which is global, is left alone. */
export const parsers: CustomTypesConfig = { getTypeParser: parserOf }

type WriteJson = (text: string) => string

/** Whole numbers of so many characters are written by the server as JavaScript writes them. */
const SHORT = 15

const quoted: WriteJson = (text) => `"${text}"`
const number: WriteJson = (text) => JSON.stringify(Number(text))
const whole: WriteJson = (text) => (text.length <= SHORT ? text : number(text))

/** The JSON text of a field where it is made faster than by way of the value. */
const JSON_WRITERS: ReadonlyMap<number, WriteJson> = new Map<number, WriteJson>([
  [types.builtins.BOOL, (text) => (text === 't' ? 'true' : 'false')],
  [types.builtins.INT2, whole],
  [types.builtins.INT4, whole],
  [types.builtins.INT8, whole],
  [types.builtins.FLOAT4, number],
  [types.builtins.FLOAT8, number],
  [types.builtins.NUMERIC, number],
  [types.builtins.TIMESTAMPTZ, (text) => quoted(instant(text))],
  // None of these holds a character that JSON escapes.
  [types.builtins.DATE, quoted],
  [types.builtins.TIME, quoted],
  [types.builtins.UUID, quoted],
])

/** Writes a field of a type as JSON: what `JSON.stringify` makes of its value, character by character. */
export function jsonWriterOf(type: number): WriteJson {
  const parse = parserOf(type)
  return JSON_WRITERS.get(type) ?? ((text) => JSON.stringify(parse(text)))
}
