import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Column, type Table } from '@svc/store/contract'

/** The columns of a line that rests at a wait for an event. */
export const WAIT = {
  line: column('line', 'uuid'),
  turn: column('turn', 'integer'),
  /** By what an event finds it. */
  ear: column('ear', 'text'),
  /** Events behind this place may end it; those before were looked at as it came to rest. */
  batch: column('batch', 'integer'),
  number: column('number', 'integer'),
} as const

/** The columns of an event that may end a rest, and that its filter is still to be asked about. */
export const FOUND = {
  line: column('line', 'uuid'),
  batch: column('batch', 'integer'),
  number: column('number', 'integer'),
} as const

/** The columns of an event that more rests may hear than are written down at once. */
export const ASKING = {
  batch: column('batch', 'integer'),
  number: column('number', 'integer'),
  ear: column('ear', 'text'),
  /** The last line that was asked. */
  after: column('after', 'uuid', true),
} as const

/** Where a domain keeps who waits for what. */
export interface WaitTables {
  readonly waits: Table
  readonly found: Table
  readonly asking: Table
}

/** The tables of a domain. */
export function waitTablesOf({ name }: Pick<Model, 'name'>): WaitTables {
  const table = (
    of: string,
    columns: Record<string, Column>,
    primaryKey: readonly Column[],
    more: readonly Column[] = [],
  ) => {
    const own = boundedName([name, 'workflows', of])
    const indexes =
      more.length === 0 ? [] : [{ name: boundedName([own, 'idx']), columns: more, unique: false }]
    return Object.freeze({ name: own, columns: Object.values(columns), primaryKey, indexes, foreignKeys: [] })
  }
  return {
    waits: table('waits', WAIT, [WAIT.line], [WAIT.ear, WAIT.line]),
    found: table('found', FOUND, [FOUND.line, FOUND.batch, FOUND.number], [FOUND.batch, FOUND.number]),
    asking: table('asking', ASKING, [ASKING.batch, ASKING.number, ASKING.ear], [ASKING.ear]),
  }
}
