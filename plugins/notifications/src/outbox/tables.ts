import { boundedName } from '@svc/domain/contract'
import { column, type Column, type Table } from '@svc/store/contract'

/** One message for one recipient, or for all of them on a channel that has no recipients: the ledger of what was sent. */
export const ENTRY = {
  id: column('id', 'uuid'),
  /** The row of what raised it. */
  raised: column('raised', 'uuid'),
  name: column('name', 'text'),
  channel: column('channel', 'text'),
  /** The place of its channel among those of the notification. */
  place: column('place', 'integer'),
  status: column('status', 'text'),
  recipient: column('recipient', 'text', true),
  /** What the recipient is made of, where not everybody may be told it. */
  recipientVeil: column('recipientVeil', 'json', true),
  /** The account that the recipient is; null for a bare address. */
  account: column('account', 'uuid', true),
  /** JSON texts, sealed where the domain seals any of its values. */
  subject: column('subject', 'json', true),
  body: column('body', 'json', true),
  /** The places of the records of a batch that it tells of; null: all. */
  records: column('records', 'json', true),
  sourceKind: column('sourceKind', 'text'),
  source: column('source', 'text'),
  sourceStep: column('sourceStep', 'text', true),
  sourceId: column('sourceId', 'text', true),
  resource: column('resource', 'text', true),
  /** The key of the record, as text. */
  recordId: column('recordId', 'text', true),
  attempts: column('attempts', 'integer'),
  nextAttemptAt: column('nextAttemptAt', 'datetime', true),
  createdAt: column('createdAt', 'datetime'),
  sentAt: column('sentAt', 'datetime', true),
  /** When it was sent, logged, or failed for good; null until then. */
  endedAt: column('endedAt', 'datetime', true),
  responseStatus: column('responseStatus', 'integer', true),
  errorCode: column('errorCode', 'text', true),
  errorMessage: column('errorMessage', 'text', true),
  resendOf: column('resendOf', 'uuid', true),
} as const

/** What a notification was raised with: all that its messages are made of, whatever the definition says by then. */
export const RAISED = {
  id: column('id', 'uuid'),
  at: column('at', 'datetime'),
  /** The channels, recipients and texts as they were written, and what these may name. */
  written: column('written', 'json'),
  /** The record and the variables as they were; sealed, as what is said, where the domain seals any of its values. */
  facts: column('facts', 'json'),
  /** What anybody may be told. */
  said: column('said', 'json'),
  /** What the fields of the recipients held. */
  named: column('named', 'json'),
  resource: column('resource', 'text', true),
  recordId: column('recordId', 'text', true),
  /** The file that goes along: its kind and its id. */
  enclosure: column('enclosure', 'json', true),
} as const

/** The tables of a domain. */
export interface Tables {
  readonly entries: Table
  readonly raised: Table
}

const made = new Map<string, Tables>()

/** The tables of a domain, by its name alone: what they hold outlives every definition. */
export function tablesOf(domain: string): Tables {
  const known = made.get(domain)
  if (known !== undefined) return known
  const tables = { entries: entriesOf(domain), raised: raisedOf(domain) }
  made.set(domain, tables)
  return tables
}

function entriesOf(domain: string): Table {
  const name = boundedName([domain, 'notifications'])
  return table(name, Object.values(ENTRY), ENTRY.id, {
    at: [ENTRY.createdAt, ENTRY.id],
    status: [ENTRY.status, ENTRY.createdAt],
    ended: [ENTRY.endedAt],
    raised: [ENTRY.raised],
    recipient: [ENTRY.recipient],
    account: [ENTRY.account],
    record: [ENTRY.recordId],
  })
}

function raisedOf(domain: string): Table {
  const name = boundedName([domain, 'notifications', 'raised'])
  return table(name, Object.values(RAISED), RAISED.id, { at: [RAISED.at], record: [RAISED.recordId] })
}

const table = (
  name: string,
  columns: readonly Column[],
  key: Column,
  indexes: Readonly<Record<string, readonly Column[]>>,
): Table => ({
  name,
  columns,
  primaryKey: [key],
  indexes: Object.entries(indexes).map(([one, of]) => ({
    name: boundedName([name, one, 'idx']),
    columns: of,
    unique: false,
  })),
  foreignKeys: [],
})
