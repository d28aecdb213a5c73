import { sql } from 'kysely'
import type { Column, Condition, Row, Table, Value } from '../plan.ts'
import type { Sql } from './dialect.ts'
import { named } from './form.ts'

/** The name under which rows bring their key where their values are opened by it and nobody asked for it. */
export const OWNER = '~of'

const known = new WeakMap<Table, { readonly key: Column | undefined }>()

/** The key that values of a table are bound to; undefined where none are. */
export function ownerKeyOf(table: Table): Column | undefined {
  const found = known.get(table)
  if (found !== undefined) return found.key
  const [key, ...more] = table.primaryKey
  const isBound = areBound(table.columns)
  if (isBound && (key === undefined || more.length > 0))
    throw new Error(`'${table.name}' binds values to its rows, which takes a key of one column`)
  const made = { key: isBound ? key : undefined }
  known.set(table, made)
  return made.key
}

const areBound = (columns: readonly Column[]): boolean => columns.some(({ codec }) => codec?.bound)

/** The key as an answer of these columns brings it besides; undefined where it needs none, or has it. */
export function ownerBeside(table: Table, columns: readonly Column[]): Column | undefined {
  const key = areBound(columns) ? ownerKeyOf(table) : undefined
  if (key === undefined || columns.some(({ name }) => name === key.name)) return undefined
  return { ...key, name: OWNER }
}

/** The columns of an answer, with that. */
export function withOwner(table: Table, columns: readonly Column[]): readonly Column[] {
  const beside = ownerBeside(table, columns)
  return beside === undefined ? columns : [...columns, beside]
}

/** The same in SQL, as a list to go on with. */
export const ownerAnswered = (table: Table, columns: readonly Column[]): readonly Sql[] =>
  ownerBeside(table, columns) === undefined
    ? []
    : [sql`${named(ownerKeyOf(table)!)} as ${named({ name: OWNER })}`]

/** The key of a row that is written, as text. */
export const ownerOf = (table: Table, row: Row): string | undefined => {
  const key = ownerKeyOf(table)
  return key && asText(row[key.name])
}

/** The key of the one row that a condition holds for at most, as text; undefined where it names none. */
export function ownerIn(table: Table, where: Condition): string | undefined {
  const key = ownerKeyOf(table)
  return key && asText(namedBy(where, key))
}

function namedBy(where: Condition, key: Column): Value | undefined {
  if (where.op === 'and') {
    for (const one of where.of) {
      const found = namedBy(one, key)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (where.op === 'eq') return where.column.name === key.name ? where.value : undefined
  return where.op === 'in' && where.values.length === 1 && where.column.name === key.name
    ? where.values[0]
    : undefined
}

const asText = (value: Value | undefined): string | undefined =>
  value === undefined || value === null ? undefined : String(value)
