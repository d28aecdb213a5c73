import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Condition, type Table } from '@svc/store/contract'

/** The columns of a record that a relative schedule has to look at some time. */
export const DUE = {
  schedule: column('schedule', 'text'),
  recordId: column('recordId', 'text'),
  /** The earliest moment at which it is due. */
  at: column('at', 'datetime'),
  /**
   * When it is looked at: empty while work for it is put, and once it was found outside of the filter until a write of the
   * record may have changed that.
   */
  lookAt: column('lookAt', 'datetime', true),
}

const isLookedAt: Condition = { op: 'not', of: { op: 'null', column: DUE.lookAt } }

/** The table of what is due some time; a record that has fired for the last time has no row. */
export function dueTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'schedules', 'due'])
  return Object.freeze({
    name: table,
    columns: Object.values(DUE),
    primaryKey: [DUE.schedule, DUE.recordId],
    indexes: [
      {
        name: boundedName([table, 'look', 'idx']),
        columns: [DUE.schedule, DUE.lookAt, DUE.recordId],
        unique: false,
        where: isLookedAt,
      },
      { name: boundedName([table, 'record', 'idx']), columns: [DUE.recordId, DUE.schedule], unique: false },
    ],
    foreignKeys: [],
  })
}
