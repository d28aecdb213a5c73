import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Column, type Condition, type Table } from '@svc/store/contract'

/**
 * What may become of a line. `running`: its step is to be done; `waiting`: it rests at a wait; `joining`: it rests until
 * lines of its own have ended.
 */
export const LINE_STATUSES = ['running', 'waiting', 'joining', 'completed', 'failed', 'cancelled'] as const
export type LineStatus = (typeof LINE_STATUSES)[number]

/** The statuses of lines that go on. */
export const LIVE: readonly LineStatus[] = ['running', 'waiting', 'joining']

/** The columns of a line: one walk through the steps of an instance. */
export const LINE = {
  id: column('id', 'uuid'),
  instance: column('instance', 'uuid'),
  /** The line whose parallel or forEach began this one; null of the first, of a handler and of a timeout. */
  parent: column('parent', 'uuid', true),
  /** The step with which it began. */
  branch: column('branch', 'text'),
  /** The step at which it is, or at which it stopped. */
  step: column('step', 'text'),
  status: column('status', 'text'),
  /** Counts how often it came to a step: work that was put for an earlier one is told by it. */
  turn: column('turn', 'integer'),
  /** How many tries of the present step have failed. */
  tries: column('tries', 'integer'),
  /** The entry of the present step, once that has begun; null before. */
  entry: column('entry', 'integer', true),
  /** How deep the write was that set it going. */
  depth: column('depth', 'integer'),
  /** How far it has heard the events of records, as their ledger says it; null once it can hear none any more. */
  heard: column('heard', 'text', true),
  /** The moment at which its rest ends; null where none does. */
  until: column('until', 'datetime', true),
  /** What ended its last wait. */
  event: column('event', 'json', true),
  /** Of a forEach at which it is: the items that are still to come, as they were found. */
  items: column('items', 'json', true),
  /** Of an item's line: its place among the items, from 0. */
  place: column('place', 'integer', true),
  item: column('item', 'json', true),
  /** The last result. */
  result: column('result', 'json', true),
}

/** The table of the lines of a domain's instances. */
export function lineTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'workflows', 'lines'])
  const { id, instance, status, parent, heard } = LINE
  const there = (of: Column): Condition => ({ op: 'not', of: { op: 'null', column: of } })
  return Object.freeze({
    name: table,
    columns: Object.values(LINE),
    primaryKey: [id],
    indexes: [
      { name: boundedName([table, 'instance', 'idx']), columns: [instance, status, id], unique: false },
      {
        name: boundedName([table, 'parent', 'idx']),
        columns: [parent, id],
        unique: false,
        where: there(parent),
      },
      {
        name: boundedName([table, 'heard', 'idx']),
        columns: [heard],
        unique: false,
        where: there(heard),
      },
    ],
    foreignKeys: [],
  })
}
