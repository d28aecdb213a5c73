import { boundedName } from '@svc/domain/contract'
import { type Column, column, type Table } from '@svc/store/contract'

/** The columns of the secrets of a domain. */
export const SECRET = {
  name: column('name', 'text'),
  /** In base64; sealed where the domain has encryption. */
  value: column('value', 'json'),
}

/** The columns of the index of people: which record holds, or held, which identifier. */
export const HOLDING = {
  hash: column('hash', 'text'),
  resource: column('resource', 'text'),
  recordId: column('record', 'text'),
  field: column('field', 'text'),
  /** Whether the record does not hold it any more, though ledgers may. */
  isPast: column('past', 'boolean'),
}

/** The columns of pseudonyms, which never stand beside what they stand for. */
export const PSEUDONYM = {
  subjectHash: column('subject_hash', 'text'),
  pseudonym: column('pseudonym', 'text'),
  createdAt: column('created_at', 'datetime'),
  lastUsedAt: column('last_used_at', 'datetime'),
}

/** The columns of the log of what was asked of personal data. */
export const ENTRY = {
  id: column('id', 'uuid'),
  action: column('action', 'text'),
  /** Null of what is about nobody alone. */
  subjectHash: column('subject_hash', 'text', true),
  actorId: column('actor_id', 'text', true),
  actorName: column('actor_name', 'text', true),
  reason: column('reason', 'text', true),
  outcome: column('outcome', 'text'),
  details: column('details', 'json'),
  at: column('at', 'datetime'),
  scrubbedAt: column('scrubbed_at', 'datetime', true),
}

/** The columns of what people have consented to, and withdrawn. */
export const CONSENT = {
  id: column('id', 'uuid'),
  subjectHash: column('subject_hash', 'text'),
  purpose: column('purpose', 'text'),
  status: column('status', 'text'),
  grantedBy: column('granted_by', 'text', true),
  evidence: column('evidence', 'json', true),
  reason: column('reason', 'text', true),
  at: column('at', 'datetime'),
  actorId: column('actor_id', 'text', true),
  actorName: column('actor_name', 'text', true),
}

/** The columns of what is consented to now, by what stands for the person in consents. */
export const STANDING = {
  hash: column('hash', 'text'),
  purpose: column('purpose', 'text'),
}

/** The columns of what sweeps have done with records that are still there. */
export const SWEPT = {
  resource: column('resource', 'text'),
  recordId: column('record', 'text'),
  category: column('category', 'text'),
  action: column('action', 'text'),
  /** The version of the record after it: a later write makes it another one. */
  version: column('version', 'integer'),
}

/** What a restriction may keep from everybody, each a column of its own. */
export const OPERATIONS = [
  'get',
  'list',
  'create',
  'update',
  'delete',
  'transition',
  'custom',
  'export',
  'automate',
] as const
export type Operation = (typeof OPERATIONS)[number]

/** The columns that say which operations a restriction is about. */
export const KEPT_FROM = Object.fromEntries(
  OPERATIONS.map((operation) => [operation, column(`no_${operation}`, 'boolean')]),
) as Readonly<Record<Operation, Column>>

/** The columns of restrictions in force. */
export const RESTRICTION = {
  subjectHash: column('subject_hash', 'text'),
  since: column('since', 'datetime'),
  ...KEPT_FROM,
}

/** The columns of what is known of all restrictions together; there is one row. */
export const RESTRICTING = {
  id: column('id', 'integer'),
  /** Whether any is in force. */
  isAny: column('any', 'boolean'),
  /** Another one after each change of what is restricted. */
  mark: column('mark', 'text'),
  /** The checksum of the definition by which records were found to be somebody's. */
  definition: column('definition', 'text', true),
}

/** The columns of the records of those who are restricted, with their identifiers and accounts under names of no resource. */
export const RESTRICTED = {
  subjectHash: column('subject_hash', 'text'),
  resource: column('resource', 'text'),
  recordId: column('record', 'text'),
}

export interface Tables {
  readonly secrets: Table
  readonly holdings: Table
  readonly pseudonyms: Table
  readonly log: Table
  readonly consents: Table
  readonly standing: Table
  readonly swept: Table
  readonly restrictions: Table
  readonly restricted: Table
  readonly restricting: Table
}

/** The tables of a domain. */
export function tablesOf(domain: string): Tables {
  const name = (kind: string) => boundedName([domain, 'privacy', kind])
  const index = (kind: string, columns: Table['columns']) => ({
    name: boundedName([domain, 'privacy', kind, 'idx']),
    columns,
    unique: false,
  })
  const table = (
    kind: string,
    of: Table['columns'],
    primaryKey: Table['columns'],
    indexes: Table['indexes'],
  ) => Object.freeze({ name: name(kind), columns: of, primaryKey, indexes, foreignKeys: [] })
  return {
    secrets: table('secrets', Object.values(SECRET), [SECRET.name], []),
    holdings: table(
      'holdings',
      Object.values(HOLDING),
      [HOLDING.hash, HOLDING.resource, HOLDING.recordId, HOLDING.field],
      [index('holdings_record', [HOLDING.resource, HOLDING.recordId])],
    ),
    pseudonyms: table(
      'pseudonyms',
      Object.values(PSEUDONYM),
      [PSEUDONYM.subjectHash],
      [index('pseudonyms_name', [PSEUDONYM.pseudonym])],
    ),
    log: table(
      'log',
      Object.values(ENTRY),
      [ENTRY.id],
      [index('log_at', [ENTRY.at, ENTRY.id]), index('log_subject', [ENTRY.subjectHash, ENTRY.at])],
    ),
    consents: table(
      'consents',
      Object.values(CONSENT),
      [CONSENT.id],
      [index('consents_subject', [CONSENT.subjectHash, CONSENT.id])],
    ),
    standing: table('standing', Object.values(STANDING), [STANDING.hash, STANDING.purpose], []),
    swept: table(
      'swept',
      Object.values(SWEPT),
      [SWEPT.resource, SWEPT.recordId, SWEPT.category, SWEPT.action],
      [],
    ),
    restrictions: table('restrictions', Object.values(RESTRICTION), [RESTRICTION.subjectHash], []),
    restricting: table('restricting', Object.values(RESTRICTING), [RESTRICTING.id], []),
    restricted: table(
      'restricted',
      Object.values(RESTRICTED),
      [RESTRICTED.subjectHash, RESTRICTED.resource, RESTRICTED.recordId],
      [index('restricted_record', [RESTRICTED.resource, RESTRICTED.recordId])],
    ),
  }
}
