import { errors } from '@svc/kernel'
import { column, type Reader, type Row, type Table, type Transaction } from '@svc/store/contract'
import { z } from 'zod'

/** What a domain is made of, as far as it is kept. */
const VersionRow = z.object({
  version: z.string(),
  /** SHA-256 of the resolved definition, its variables as they are written. */
  checksum: z.string(),
  /** Marks what the definition means with its variables replaced; null where it reads none. */
  meaning: z.string().nullable().default(null),
  /** A file may read other variables than a text that was submitted. */
  origin: z.enum(['file', 'submitted']),
  /** The document without directives, its variables as they are written, as JSON text. */
  resolved: z.string(),
  /** The part of the definition that the tables come from, as JSON text; values of variables are redacted in it. */
  snapshot: z.string(),
})
/** One state of a domain: the definition that was in force. */
export type StoredVersion = z.output<typeof VersionRow>

const DomainRow = VersionRow.extend({
  name: z.string(),
  format: z.enum(['yaml', 'json']),
  /** The text as its author wrote it, character by character. */
  source: z.string(),
  /** The checksum that the configured file had when it was last applied. */
  fileChecksum: z.string().nullable(),
  /** Counts the changes, so that other servers see that there was one. */
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
/** A domain as it is now. */
export type StoredDomain = z.output<typeof DomainRow>

const MigrationRow = z.object({
  id: z.string(),
  domain: z.string(),
  /** The revision of the domain that the migration led to. */
  number: z.int(),
  fromVersion: z.string().nullable(),
  toVersion: z.string(),
  status: z.enum(['success', 'rolled_back']),
  stepsApplied: z.int(),
  stepsSkipped: z.int(),
  up: z.array(z.string()),
  down: z.array(z.string()),
  reversible: z.boolean(),
  /** The StoredVersion before, as JSON text; null for the first. */
  prior: z.string().nullable(),
  appliedAt: z.string(),
})
/** A change of a domain, on record. */
export type StoredMigration = z.output<typeof MigrationRow>

/** The version that a rollback of `migration` leads back to; undefined where there was none before. */
export const priorOf = ({ prior }: StoredMigration): StoredVersion | undefined =>
  prior === null ? undefined : VersionRow.parse(JSON.parse(prior))

const name = column('name', 'text')
const revision = column('revision', 'integer')
const DOMAINS: Table = {
  name: 'svc_domains',
  columns: [
    name,
    column('version', 'text'),
    column('checksum', 'text'),
    column('meaning', 'text', true),
    column('resolved', 'text'),
    column('snapshot', 'text'),
    column('origin', 'text'),
    column('format', 'text'),
    column('source', 'text'),
    column('fileChecksum', 'text', true),
    revision,
    column('createdAt', 'datetime'),
    column('updatedAt', 'datetime'),
  ],
  primaryKey: [name],
  indexes: [],
  foreignKeys: [],
}

const id = column('id', 'uuid')
const domain = column('domain', 'text')
const number = column('number', 'integer')
const MIGRATIONS: Table = {
  name: 'svc_migrations',
  columns: [
    id,
    domain,
    number,
    column('fromVersion', 'text', true),
    column('toVersion', 'text'),
    column('status', 'text'),
    column('stepsApplied', 'integer'),
    column('stepsSkipped', 'integer'),
    column('up', 'json'),
    column('down', 'json'),
    column('reversible', 'boolean'),
    column('prior', 'text', true),
    column('appliedAt', 'datetime'),
  ],
  primaryKey: [id],
  indexes: [{ name: 'svc_migrations_domain', columns: [domain, number], unique: true }],
  foreignKeys: [],
}

/** Where domains and their migrations are kept. */
export const JOURNAL: readonly Table[] = [DOMAINS, MIGRATIONS]

export async function readDomains(reader: Reader): Promise<readonly StoredDomain[]> {
  const order = [{ column: name, descending: false }]
  const rows = await reader.select({
    table: DOMAINS,
    columns: DOMAINS.columns,
    where: { op: 'always' },
    order,
  })
  return rows.map((row) => DomainRow.parse(row))
}

/** The revision of every domain by name. */
export async function readRevisions(reader: Reader): Promise<ReadonlyMap<string, number>> {
  const columns = [name, revision]
  const rows = await reader.select({ table: DOMAINS, columns, where: { op: 'always' }, order: [] })
  return new Map(rows.map((row) => [String(row['name']), Number(row['revision'])]))
}

/** Writes a domain; `isNew` where there is no row of it yet. */
export async function writeDomain(
  row: StoredDomain,
  isNew: boolean,
  transaction: Transaction,
): Promise<void> {
  if (isNew) {
    await transaction.insert({ table: DOMAINS, values: row })
    return
  }
  const where = { op: 'eq', column: name, value: row.name } as const
  await transaction.update({ table: DOMAINS, set: row, where })
}

/** The migrations of a domain, the newest first. */
export async function readMigrations(of: string, reader: Reader): Promise<readonly StoredMigration[]> {
  const rows = await reader.select({
    table: MIGRATIONS,
    columns: MIGRATIONS.columns,
    where: { op: 'eq', column: domain, value: of },
    order: [{ column: number, descending: true }],
  })
  return rows.map((row) => MigrationRow.parse(row))
}

export async function addMigration(row: StoredMigration, transaction: Transaction): Promise<void> {
  const values: Row = row
  await transaction.insert({ table: MIGRATIONS, values })
}

/** Marks a migration as taken back. Throws CONFLICT where another server was first. */
export async function markRolledBack(migration: StoredMigration, transaction: Transaction): Promise<void> {
  const { count } = await transaction.update({
    table: MIGRATIONS,
    set: { status: 'rolled_back' },
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: id, value: migration.id },
        { op: 'eq', column: column('status', 'text'), value: 'success' },
      ],
    },
  })
  if (count === 0) throw errors.CONFLICT({ message: `The migration ${migration.id} is rolled back already` })
}
