import { boundedName } from '@svc/domain/contract'
import { column, type Column, type Table } from '@svc/store/contract'

const nullable = (one: Column): Column => ({ ...one, nullable: true })

/** The columns of the log of rules. */
export const LOG = {
  id: column('id', 'uuid'),
  at: column('at', 'datetime'),
  rule: column('rule', 'text'),
  resource: column('resource', 'text'),
  /** Null of a refused create: there is no such record. */
  recordId: nullable(column('recordId', 'text')),
  action: column('action', 'text'),
  outcome: column('outcome', 'text'),
  severity: column('severity', 'text'),
  regulation: nullable(column('regulation', 'text')),
  group: nullable(column('group', 'text')),
  op: column('op', 'text'),
  transition: nullable(column('transition', 'text')),
  actor: column('actor', 'json'),
  requestId: column('requestId', 'text'),
  /** What was said, with all that it is worked out from: each reader is told what that one may read. */
  said: column('said', 'json'),
} as const satisfies Readonly<Record<string, Column>>

/** The log of a domain: an entry for each firing. */
export function logTable(domain: string): Table {
  const name = boundedName([domain, 'rules', 'log'])
  const index = (columns: readonly Column[]) => ({
    name: boundedName([name, ...columns.slice(0, 1).map((one) => one.name), 'idx']),
    columns: [...columns, LOG.at, LOG.id],
    unique: false,
  })
  return Object.freeze({
    name,
    columns: Object.values(LOG),
    primaryKey: [LOG.id],
    indexes: [index([]), index([LOG.rule]), index([LOG.recordId])],
    foreignKeys: [],
  })
}
