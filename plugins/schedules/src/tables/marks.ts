import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of a mark: that a schedule has fired for a record and a tag, for good. */
export const MARK = {
  schedule: column('schedule', 'text'),
  /** Empty where no record is at hand. */
  recordId: column('recordId', 'text'),
  /** What it has fired for, digested. */
  tag: column('tag', 'text'),
}

/** The table of marks; they outlive the entries of firings, and the definition. */
export const markTable = ({ name }: Pick<Model, 'name'>): Table =>
  Object.freeze({
    name: boundedName([name, 'schedules', 'marks']),
    columns: Object.values(MARK),
    primaryKey: [MARK.schedule, MARK.recordId, MARK.tag],
    indexes: [],
    foreignKeys: [],
  })
