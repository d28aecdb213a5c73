import { type CustomTypesConfig, types } from 'pg'

/** Completes `10:20` or `10:20:30.5` to milliseconds. */
const milliseconds = (time: string): string => (time.length === 8 ? `${time}.000` : time.padEnd(12, '0'))

/** `2026-01-31 10:20:30.5+00`; the session's time zone is UTC. Years beyond four digits stay as they are. */
function instant(text: string): string {
  if (!text.endsWith('+00') || text[10] !== ' ') return text
  return `${text.slice(0, 10)}T${milliseconds(text.slice(11, -3))}Z`
}

const verbatim = (text: string): string => text

/** How each type of the server's catalog (its `pg_type.oid`) becomes a JSON value. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
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

/** The types of one pool; the driver's own table, which is global, is left alone. */
export const parsers: CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS.get(oid) ?? verbatim,
}
