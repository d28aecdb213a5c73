import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of a breaker: a row for each integration whose breaker has ever opened. */
export const BREAKER = {
  integration: column('integration', 'text'),
  state: column('state', 'text'),
  failures: column('failures', 'integer'),
  successes: column('successes', 'integer'),
  openedAt: column('openedAt', 'datetime', true),
  retryAt: column('retryAt', 'datetime', true),
  /** Who tries whether the other side is back, and until when that may take. */
  probe: column('probe', 'uuid', true),
  probeUntil: column('probeUntil', 'datetime', true),
} as const

/** The table of a domain's breakers. */
export const breakerTable = ({ name }: Pick<Model, 'name'>): Table =>
  Object.freeze({
    name: boundedName([name, 'integrations', 'breakers']),
    columns: Object.values(BREAKER),
    primaryKey: [BREAKER.integration],
    indexes: [],
    foreignKeys: [],
  })

/** The columns of a limiter: the moment at which its bucket is full again, in microseconds since 1970. */
export const BUCKET = {
  integration: column('integration', 'text'),
  fullAt: column('fullAt', 'integer'),
} as const

/** The table of a domain's limiters. */
export const bucketTable = ({ name }: Pick<Model, 'name'>): Table =>
  Object.freeze({
    name: boundedName([name, 'integrations', 'buckets']),
    columns: Object.values(BUCKET),
    primaryKey: [BUCKET.integration],
    indexes: [],
    foreignKeys: [],
  })
