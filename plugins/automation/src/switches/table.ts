import { column, type Table } from '@svc/store/contract'

/** The columns of a switch: what an entry of a definition was switched to. */
export const SWITCH = {
  domain: column('domain', 'text'),
  key: column('key', 'text'),
  name: column('name', 'text'),
  enabled: column('enabled', 'boolean'),
  /** What the definition said of it when it was switched: the switch counts as long as it says so. */
  declared: column('declared', 'boolean'),
  /** The definition has changed since: the row has what it says now, for servers that follow in a moment. */
  over: column('over', 'boolean'),
  /** When it was switched. */
  at: column('at', 'datetime', true),
}

/** The switches of all domains; what nobody has switched has no row. */
export const switchesTable: Table = {
  name: 'svc_switches',
  columns: Object.values(SWITCH),
  primaryKey: [SWITCH.domain, SWITCH.key, SWITCH.name],
  indexes: [],
  foreignKeys: [],
}
