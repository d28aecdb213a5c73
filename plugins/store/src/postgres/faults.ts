import { AppError, errors } from '@svc/kernel'
import { SchemaMoved, StoreConflict, ValueRefused } from '../faults.ts'
import type { Table } from '../plan.ts'
import { plannedName } from './names.ts'

/** The SQLSTATE or the system's name of a failure. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Failures of the way to the server: what was under way is lost, and the connection with it. */
const CUT_OFF =
  /^(08...|57P0[1-5]|25P0[34]|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NETDOWN|NOTFOUND|AI_AGAIN|MFILE|NFILE))$/
/** The driver names these by their messages alone. */
const CUT_OFF_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying|Cannot use a pool after)/

/** Whether the connection is of no more use. */
export function isCutOff(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return CUT_OFF.test(code) || isNoSocket(error)
  return error instanceof Error && CUT_OFF_MESSAGE.test(error.message)
}

/** A Unix socket that is missing or barred. */
const isNoSocket = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'connect'

/**
 * A server without room (53), without rights or database for this user (28, 3D), in need of repair (58, XX), that
 * only reads (25006), or too slow: a statement or a lock took too long (57014, 55P03).
 */
const OUT_OF_REACH = /^(53...|28...|3D000|58...|XX...|25006|57014|55P03)$/

/** Whether the same work may well succeed if it is done again: a deadlock, or a clash of snapshots. */
export const isTransient = (error: unknown): boolean => /^(40001|40P01)$/.test(codeOf(error) ?? '')

/** An unknown column or table, or a prepared statement whose columns have changed their types. */
const MOVED = /^(42703|42P01|0A000)$/
/** A value that is none of its column's type, which is another one now. */
const RETYPED = /^(22P02|22007|22008|42804)$/

/** The error that leaves the store in place of `error`. */
export function faultOf(error: unknown): unknown {
  if (error instanceof AppError) return error
  if (MOVED.test(codeOf(error) ?? '')) return new SchemaMoved(error)
  if (RETYPED.test(codeOf(error) ?? '')) return new ValueRefused(error)
  if (!isCutOff(error) && !isTransient(error) && !OUT_OF_REACH.test(codeOf(error) ?? '')) return error
  return errors.UNAVAILABLE({ message: 'The database is out of reach: try again', cause: error })
}

const CONFLICTS: ReadonlyMap<string, StoreConflict['kind']> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreignKey'],
  ['23502', 'notNull'],
])

/** The refusal behind a failed write to `table`; undefined where it failed for another reason. */
export function conflictOf(error: unknown, table: Table): StoreConflict | undefined {
  const kind = CONFLICTS.get(codeOf(error) ?? '')
  return kind && new StoreConflict(kind, table.name, COLUMNS[kind](fieldsOf(error), table), error)
}

interface Fields {
  readonly table: string
  readonly column: string
  readonly constraint: string
  readonly detail: string
}

const COLUMNS = {
  unique: ({ constraint, detail }, table) =>
    table.indexes.find(({ name }) => name === constraint)?.columns.map(({ name }) => name) ??
    keyIn(detail) ??
    table.primaryKey.map(({ name }) => name),
  foreignKey({ constraint, detail, table: from }, table) {
    // A row of another table is in the way: no column of this one is at fault.
    if (from !== table.name) return []
    const key = table.foreignKeys.find(({ name }) => name === constraint)
    return key ? [key.column.name] : (keyIn(detail) ?? [])
  },
  notNull: ({ column }) => (column === '' ? [] : [plannedName(column)]),
} satisfies Record<StoreConflict['kind'], (fields: Fields, table: Table) => readonly string[]>

/** Reads `Key (a, "bC")=(…) …`: a constraint keeps its name when its table is renamed, the detail does not. */
function keyIn(detail: string): readonly string[] | undefined {
  const [, columns] = /^[^(]*\(([^()]*)\)=\(/.exec(detail) ?? []
  return columns?.split(', ').map((column) => plannedName(column.replace(/^"(.*)"$/, '$1')))
}

function fieldsOf(error: unknown): Fields {
  const text = (name: string): string => {
    const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
    return typeof value === 'string' ? value : ''
  }
  return {
    table: text('table'),
    column: text('column'),
    constraint: text('constraint'),
    detail: text('detail'),
  }
}
