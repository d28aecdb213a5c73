import { sql } from 'kysely'
import type { Column, Condition, ForeignKey, Index, SchemaStep, Table, Writing } from '../plan.ts'
import { writeIndexed } from './custom.ts'
import type { Dialect, IndexOrigin, Sql } from './dialect.ts'
import { listed, named, nothing } from './form.ts'
import { assertPlain } from './plain.ts'
import { bind } from './values.ts'
import { writeLiteralCondition } from './where.ts'

/** One statement of a step; it can run once the table that it needs is there. */
export interface DdlStatement {
  readonly sql: Sql
  readonly needs?: string
  /** The index of texts or geometries that is whole after it, but for the rows that are there already. */
  readonly unfilled?: Index
}

/** The statements of one step, in order. A new table comes with its indexes and foreign keys. */
export function ddl(step: SchemaStep, dialect: Dialect): readonly DdlStatement[] {
  const { table } = step
  const alter = sql`alter table ${named(table)}`
  switch (step.kind) {
    case 'createTable':
      return [
        { sql: createTable(table, dialect) },
        ...table.indexes.flatMap((index) => createIndex(table, index, dialect, { isNew: true })),
        ...addForeignKeys(table, table.foreignKeys, dialect),
      ]
    case 'dropTable':
      return [...dropBeside(table, dialect), { sql: sql`drop table ${named(table)}${dialect.dropTable}` }]
    case 'renameTable':
      return [{ sql: sql`${alter} rename to ${sql.id(step.to)}` }]
    case 'addColumn':
      return [
        ...makeRoom(table, step.column.name, dialect),
        { sql: sql`${alter} add column ${columnDefinition(table, step.column, dialect)}` },
        ...addForeignKeys(table, foreignKeysOf(table, step.column), dialect),
      ]
    case 'dropColumn':
      return [
        ...table.indexes
          .filter((index) => uses(index, step.column))
          .flatMap((index) => dropIndex(table, index, dialect)),
        { sql: sql`${alter} drop column ${named(step.column)}` },
      ]
    case 'renameColumn':
      return [
        ...makeRoom(table, step.to, dialect),
        { sql: sql`${alter} rename column ${named(step.column)} to ${sql.id(step.to)}` },
      ]
    case 'createIndex':
      return createIndex(table, step.index, dialect, { twin: step.twin })
    case 'dropIndex':
      return dropIndex(table, step.index, dialect, step.twin)
    case 'setForeignKeys':
      return setForeignKeys(table, step.foreignKeys, dialect)
  }
}

function setForeignKeys(
  table: Table,
  wanted: readonly ForeignKey[],
  dialect: Dialect,
): readonly DdlStatement[] {
  const same = dialect.foreignKeysInline ? meansTheSame : isTheSame
  const gone = table.foreignKeys.filter((key) => !wanted.some((other) => same(key, other)))
  const added = wanted.filter((key) => !table.foreignKeys.some((other) => same(key, other)))
  if (gone.length === 0 && added.length === 0) return []
  if (dialect.foreignKeysInline) return rebuild(table, wanted, dialect)
  return [
    ...gone.map((key) => ({ sql: sql`alter table ${named(table)} drop constraint if exists ${named(key)}` })),
    ...addForeignKeys(table, added, dialect),
  ]
}

const meansTheSame = (a: ForeignKey, b: ForeignKey): boolean =>
  a.column.name === b.column.name &&
  a.references.table === b.references.table &&
  a.references.column === b.references.column &&
  a.onDelete === b.onDelete

const isTheSame = (a: ForeignKey, b: ForeignKey): boolean => a.name === b.name && meansTheSame(a, b)

/**
 * Makes the table anew under another name, moves the rows, and lets it take the old one's place, as SQLite
 * advises (https://www.sqlite.org/lang_altertable.html#otheralter). References of other tables stay as they are,
 * because foreign keys stand back while a schema changes.
 */
function rebuild(
  table: Table,
  foreignKeys: readonly ForeignKey[],
  dialect: Dialect,
): readonly DdlStatement[] {
  const draft: Table = { ...table, foreignKeys, name: `${table.name}__rebuilt` }
  const columns = listed(table.columns.map(named))
  return [
    ...dropBeside(table, dialect),
    { sql: createTable(draft, dialect) },
    { sql: sql`insert into ${named(draft)} (${columns}) select ${columns} from ${named(table)}` },
    { sql: sql`drop table ${named(table)}` },
    { sql: sql`alter table ${named(draft)} rename to ${named(table)}` },
    ...table.indexes.flatMap((index) => createIndex(table, index, dialect)),
  ]
}

function createTable(table: Table, dialect: Dialect): Sql {
  table.primaryKey.forEach(assertPlain)
  const primaryKey = sql`primary key (${listed(table.primaryKey.map(named))})`
  const parts = [
    ...table.columns.map((column) => columnDefinition(table, column, dialect)),
    ...table.indexes.flatMap((index) => (index.spatial && dialect.spatial.column(table, index)) ?? []),
    ...(table.primaryKey.length > 0 && !saysKey(table, dialect) ? [primaryKey] : []),
  ]
  return sql`create table ${named(table)} (${listed(parts)})`
}

const saysKey = ({ primaryKey }: Table, { numbered }: Dialect): boolean =>
  numbered.isKey && primaryKey.some((column) => column.numbered)

function columnDefinition(table: Table, column: Column, dialect: Dialect): Sql {
  const isKey = table.primaryKey.some(({ name }) => name === column.name)
  const notNull = isKey || !column.nullable ? sql` not null` : nothing
  const references = dialect.foreignKeysInline
    ? sql.join(foreignKeysOf(table, column).map(reference), nothing)
    : nothing
  if (column.numbered) return sql`${named(column)} ${dialect.numbered.type}`
  return sql`${named(column)} ${dialect.type[column.codec ? 'text' : column.kind]}${notNull}${defaultOf(column, dialect)}${references}`
}

function defaultOf(column: Column, dialect: Dialect): Sql {
  if (column.default === undefined || column.default === null || column.codec) return nothing
  return sql` default ${sql.lit(bind(dialect.encode, column, column.default))}`
}

const foreignKeysOf = (table: Table, column: Column): readonly ForeignKey[] =>
  table.foreignKeys.filter((key) => key.column.name === column.name)

function reference({ column, references, onDelete }: ForeignKey): Sql {
  assertPlain(column)
  return sql` references ${sql.id(references.table)} (${sql.id(references.column)}) on delete ${sql.raw(onDelete)}`
}

function addForeignKeys(
  table: Table,
  keys: readonly ForeignKey[],
  dialect: Dialect,
): readonly DdlStatement[] {
  if (dialect.foreignKeysInline) return []
  return keys.map((key) => ({
    sql: sql`alter table ${named(table)} add constraint ${named(key)} foreign key (${named(key.column)})${reference(key)}`,
    needs: key.references.table,
  }))
}

/** A column may get a name that something beside the columns has. */
const makeRoom = (table: Table, name: string, dialect: Dialect): readonly DdlStatement[] =>
  dialect.spatial.makeRoom(table, name).map((statement) => ({ sql: statement }))

function createIndex(
  table: Table,
  index: Index,
  dialect: Dialect,
  origin: IndexOrigin = {},
): readonly DdlStatement[] {
  index.columns.forEach(assertPlain)
  if (index.search) return filledLater(index, dialect.search.create(table, index))
  if (index.spatial) return filledLater(index, dialect.spatial.create(table, index, origin))
  if (index.custom) return createCustom(table, index, index.custom, dialect)
  const create = sql.raw(index.unique ? 'create unique index' : 'create index')
  const keys = listed(keysOf(index, dialect))
  const where = index.where ? sql` where ${writeLiteralCondition(index.where, dialect)}` : nothing
  return [{ sql: sql`${create} ${named(index)} on ${named(table)} (${keys})${where}` }]
}

function createCustom(
  table: Table,
  index: Index,
  writings: readonly Writing[],
  dialect: Dialect,
): readonly DdlStatement[] {
  const indexed = writeIndexed(writings, index.columns, dialect)
  if (indexed === undefined) return []
  return [{ sql: sql`create index ${named(index)} on ${named(table)} ${indexed}` }]
}

const filledLater = (index: Index, statements: readonly Sql[]): readonly DdlStatement[] =>
  statements.map((statement, at) =>
    at === statements.length - 1 ? { sql: statement, unfilled: index } : { sql: statement },
  )

/** The keys of an index. Long texts stand there with their beginnings; a digest keeps them apart where that matters. */
function keysOf({ columns, unique }: Index, { key, longTexts }: Dialect): readonly Sql[] {
  const long = longTexts === undefined ? [] : columns.filter((column) => column.long)
  const shortened = long.slice(0, longTexts?.most)
  return [
    ...columns
      .filter((column) => !long.includes(column) || shortened.includes(column))
      .map((column) => {
        const value = shortened.includes(column) ? longTexts?.beginning(column) : undefined
        return key(value ?? named(column), column.nullable, false)
      }),
    ...(unique && longTexts && long.length > 0 ? [longTexts.digest(long)] : []),
  ]
}

function dropIndex(table: Table, index: Index, dialect: Dialect, twin?: Index): readonly DdlStatement[] {
  if (!isBeside(index)) return [{ sql: sql`drop index if exists ${named(index)}` }]
  const statements = index.search ? dialect.search.drop(index) : dialect.spatial.drop(table, index, twin)
  return statements.map((statement) => ({ sql: statement }))
}

/** Whether an index may be a table of its own, which would outlive the one that it serves. */
const isBeside = ({ search, spatial }: Index): boolean => search === true || spatial !== undefined

const dropBeside = (table: Table, dialect: Dialect): readonly DdlStatement[] =>
  table.indexes.filter(isBeside).flatMap((index) => dropIndex(table, index, dialect))

/** Whether an index goes when the column goes. */
function uses({ columns, where }: Index, column: Column): boolean {
  return columns.some(({ name }) => name === column.name) || (where !== undefined && mentions(where, column))
}

function mentions(condition: Condition, column: Column): boolean {
  if ('columns' in condition) return condition.columns.some(({ name }) => name === column.name)
  if ('column' in condition) return condition.column.name === column.name
  if (condition.op === 'not') return mentions(condition.of, column)
  return 'of' in condition && condition.of.some((part) => mentions(part, column))
}
