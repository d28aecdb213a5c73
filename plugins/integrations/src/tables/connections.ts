import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table } from '@svc/store/contract'

/** The columns of a connection by OAuth: a row for each integration that has ever asked for a token. */
export const CONNECTION = {
  integration: column('integration', 'text'),
  /** What the tokens were asked with: they are of no use to anything else. */
  of: column('of', 'text'),
  /** The tokens, sealed; null: there are none. */
  tokens: column('tokens', 'text', true),
  /** Who asks for new ones, and until when that may take. */
  holder: column('holder', 'uuid', true),
  holderUntil: column('holderUntil', 'datetime', true),
  connectedBy: column('connectedBy', 'text', true),
  /** The id of the account with that name. */
  connectedById: column('connectedById', 'text', true),
  connectedAt: column('connectedAt', 'datetime', true),
} as const

/** The table of a domain's connections. */
export const connectionTable = ({ name }: Pick<Model, 'name'>): Table =>
  Object.freeze({
    name: boundedName([name, 'integrations', 'connections']),
    columns: Object.values(CONNECTION),
    primaryKey: [CONNECTION.integration],
    indexes: [],
    foreignKeys: [],
  })

/** The columns of a state of RFC 6749, section 10.12: a row for each connection that was begun. */
export const STATE = {
  /** SHA-256 of the state, in hex. */
  digest: column('digest', 'text'),
  integration: column('integration', 'text'),
  /** What the answer is taken up with, sealed. */
  sealed: column('sealed', 'text'),
  until: column('until', 'datetime'),
} as const

/** The table of a domain's states. */
export const stateTable = ({ name }: Pick<Model, 'name'>): Table =>
  Object.freeze({
    name: boundedName([name, 'integrations', 'states']),
    columns: Object.values(STATE),
    primaryKey: [STATE.digest],
    indexes: [],
    foreignKeys: [],
  })
