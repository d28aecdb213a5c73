import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Column, type Condition, type Table } from '@svc/store/contract'

/** The columns of an event. */
export const EVENT = {
  /** In the order of writing: of two transactions at once either may have the smaller one. */
  number: { ...column('number', 'integer'), numbered: true } satisfies Column,
  /** Empty until it is in a batch. */
  batch: column('batch', 'integer', true),
  /** Of a mark its name; all else of it is empty. */
  mark: column('mark', 'uuid', true),
  at: column('at', 'datetime'),
  resource: column('resource', 'text'),
  recordId: column('recordId', 'text'),
  happened: column('happened', 'json', true),
  record: column('record', 'json', true),
  previous: column('previous', 'json', true),
  actor: column('actor', 'json', true),
  depth: column('depth', 'integer'),
  origin: column('origin', 'text', true),
  /** Of what is told outside the id of its event; empty of all else, as of what an earlier version wrote. */
  id: column('id', 'uuid', true),
  /** What it is told as. */
  action: column('action', 'text', true),
  requestId: column('requestId', 'text', true),
  /** Of a link: its relationship and the key at the other end. */
  link: column('link', 'json', true),
} as const

/** The columns of a value by which an event is found. */
export const KEY = {
  key: column('key', 'text'),
  batch: column('batch', 'integer'),
  number: column('number', 'integer'),
} as const

/** The columns of a position: of a reader, of what is found by a key, or under `LEDGER` the end of the last batch. */
export const POSITION = {
  reader: column('reader', 'text'),
  batch: column('batch', 'integer'),
  number: column('number', 'integer'),
} as const

/** The name of the position that counts batches. */
export const LEDGER = ''

/** Where a domain keeps what happened to its records. */
export interface Tables {
  readonly events: Table
  readonly keys: Table
  readonly positions: Table
}

/** The tables of a domain; `isErasing`: events are looked for by their records there, to be erased. */
export function tablesOf({ name }: Pick<Model, 'name'>, isErasing = false): Tables {
  const events = boundedName([name, 'events'])
  const { number, batch, mark, at, resource, recordId, id } = EVENT
  const index = (of: string, columns: readonly Column[], where?: Condition) => ({
    name: boundedName([events, of, 'idx']),
    columns,
    unique: false,
    ...(where && { where }),
  })
  const byRecord = index('record', [recordId, resource])
  const missing = (of: Column): Condition => ({ op: 'null', column: of })
  return {
    events: Object.freeze({
      name: events,
      columns: Object.values(EVENT),
      primaryKey: [number],
      indexes: [
        index('batch', [batch, number]),
        index('mark', [mark], { op: 'not', of: missing(mark) }),
        ...(isErasing ? [byRecord] : []),
        index('at', [at]),
        index('id', [id], { op: 'not', of: missing(id) }),
      ],
      ...(!isErasing && { formerIndexes: [byRecord] }),
      foreignKeys: [],
    }),
    keys: Object.freeze({
      name: boundedName([events, 'keys']),
      columns: Object.values(KEY),
      primaryKey: [KEY.key, KEY.batch, KEY.number],
      indexes: [
        { name: boundedName([events, 'keys', 'number', 'idx']), columns: [KEY.number], unique: false },
      ],
      foreignKeys: [
        {
          name: boundedName([events, 'keys', 'number', 'fkey']),
          column: KEY.number,
          references: { table: events, column: number.name },
          onDelete: 'cascade' as const,
        },
      ],
    }),
    positions: Object.freeze({
      name: boundedName([events, 'positions']),
      columns: Object.values(POSITION),
      primaryKey: [POSITION.reader],
      indexes: [],
      foreignKeys: [],
    }),
  }
}
