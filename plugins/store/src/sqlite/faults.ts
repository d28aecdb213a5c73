import { AppError, errors } from '@svc/kernel'
import { SchemaMoved, StoreConflict } from '../faults.ts'
import type { Table } from '../plan.ts'

/** SQLite's name of a failure, such as SQLITE_BUSY; undefined for errors of other origin. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return error.code.startsWith('SQLITE_') ? error.code : undefined
}

/** Whether another connection is in the way, so that trying again can help. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error) ?? '')
}

/** Failures of the file and the machine around it; nothing that a caller sent can bring them about. */
const OUT_OF_REACH = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|PROTOCOL|NOMEM)/

/** SQLite has one code for all that is wrong with a statement; plans alone make statements. */
const MOVED = /^no such (table|column):|^table \S+ has no column named /

/** The error that leaves the store in place of `error`. */
export function faultOf(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === 'SQLITE_ERROR' && error instanceof Error && MOVED.test(error.message))
    return new SchemaMoved(error)
  if (code === undefined || error instanceof AppError || !OUT_OF_REACH.test(code)) return error
  return errors.UNAVAILABLE({ message: 'The database is out of reach: try again', cause: error })
}

/** The refusal behind a failed write to `table`; undefined where it failed for another reason. */
export function conflictOf(error: unknown, table: Table): StoreConflict | undefined {
  const code = sqliteCode(error)
  if (code === undefined || !(error instanceof Error) || !code.startsWith('SQLITE_CONSTRAINT'))
    return undefined
  const { message } = error
  if (message.startsWith('FOREIGN KEY')) return new StoreConflict('foreignKey', table.name, [], error)
  if (message.startsWith('NOT NULL'))
    return new StoreConflict('notNull', table.name, columnsIn(message, table), error)
  if (message.startsWith('UNIQUE'))
    return new StoreConflict('unique', table.name, columnsIn(message, table), error)
  return undefined
}

/** Reads `… failed: t.a, t.b`, or `… failed: index 'i'` for an index that is not made of columns alone. */
function columnsIn(message: string, table: Table): readonly string[] {
  const [, index] = /failed: index '(.*)'$/.exec(message) ?? []
  if (index !== undefined) {
    return table.indexes.find(({ name }) => name === index)?.columns.map(({ name }) => name) ?? []
  }
  const listed = message.slice(message.indexOf(': ') + 2).split(', ')
  return listed.map((column) => column.slice(column.indexOf('.') + 1))
}
