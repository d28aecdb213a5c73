import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of what is known of a schedule by its name, whatever its text says. */
export const STATE = {
  name: column('name', 'text'),
  /** When the name was submitted first: what was due and over before that counts for nothing. */
  firstAt: column('firstAt', 'datetime'),
  /** What its moments are worked out from, in short: another one makes them anew. */
  text: column('text', 'text'),
  /** When that was submitted first: `every 90 days` counts from this day. */
  since: column('since', 'datetime'),
  /** Whether it was in force when it was last looked at. */
  enabled: column('enabled', 'boolean'),
  /** When it was last switched off. */
  offAt: column('offAt', 'datetime', true),
  /** Of a recurring schedule: the next moment at which it occurs. */
  nextAt: column('nextAt', 'datetime', true),
}

/** The table of a domain's schedules. */
export function stateTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'schedules', 'states'])
  return Object.freeze({
    name: table,
    columns: Object.values(STATE),
    primaryKey: [STATE.name],
    indexes: [],
    foreignKeys: [],
  })
}

/** The columns of the one row that says who has looked at the schedules of a domain last. */
export const BEAT = {
  domain: column('domain', 'text'),
  token: column('token', 'uuid'),
}

/** Which heartbeat was the last, for each domain. */
export const beatTable: Table = Object.freeze({
  name: 'svc_schedule_beats',
  columns: Object.values(BEAT),
  primaryKey: [BEAT.domain],
  indexes: [],
  foreignKeys: [],
})
