import type { Column, Condition, ForeignKey, Index, Table } from '@svc/store/contract'
import type { ResourceDraft } from './draft.ts'
import { equalityOf } from './derived.ts'
import type { Field } from './field.ts'
import { boundedName, tableName } from './names.ts'
import type { BelongsTo } from './relationship.ts'

/** What the tables of other resources look like to this one. */
export interface TableSurroundings {
  readonly domain: string
  readonly drafts: ReadonlyMap<string, ResourceDraft>
}

/**
 * Counts the writes of a record, from the time of its creation in milliseconds on, so that a record that is
 * deleted and made again never shows an old count. No field can have this name.
 */
export const VERSION: Column = Object.freeze({
  name: '$version',
  kind: 'integer',
  nullable: false,
  default: 0,
})

/** The table of a resource: its stored fields, its key, and the indexes that its declarations call for. */
export function buildTable(
  { name: resource, definition, key, relationships, fields: known, foundBy, others }: ResourceDraft,
  around: TableSurroundings,
): Table {
  const draft: Drafted = {
    definition,
    key,
    relationships,
    foundBy,
    others,
    fields: inWrittenOrder({ fields: known, definition, key }),
  }
  const name = tableName(around.domain, resource)
  const fields = [...draft.fields.values()]
  const columns = [
    ...fields.flatMap((field) => field.column ?? []),
    VERSION,
    ...fields.flatMap(({ derived }) => derived.map(({ column }) => column)),
  ]
  return Object.freeze({
    name,
    columns,
    primaryKey: [draft.key.column!],
    indexes: indexesOf(name, draft),
    foreignKeys: foreignKeysOf(name, draft, around),
  })
}

/** A computed field stands where it is declared, though it was built last; implied fields come after all. */
export function inWrittenOrder({
  fields,
  definition,
  key,
}: Pick<ResourceDraft, 'fields' | 'definition' | 'key'>): Map<string, Field> {
  const names = [key.name, ...Object.keys(definition.object), ...Object.keys(definition.computed ?? {})]
  const implied = Object.hasOwn(definition.object, key.name) ? names.slice(1) : names
  return new Map([...implied, ...fields.keys()].map((name) => [name, fields.get(name)!]))
}

type Drafted = Pick<ResourceDraft, 'definition' | 'key' | 'relationships' | 'fields' | 'foundBy' | 'others'>

interface JunctionSide {
  readonly column: string
  readonly key: Field
}

/** The table between two resources: both keys together are its key. */
export function junctionTable(junction: {
  readonly name: string
  readonly sides: readonly [JunctionSide, JunctionSide]
  readonly timestamps: boolean
}): Table {
  const keys = junction.sides.map(({ column, key }) =>
    Object.freeze({ ...key.column!, name: column, nullable: false }),
  )
  const createdAt: Column = { name: 'createdAt', kind: 'datetime', nullable: true }
  const [, other] = keys
  return Object.freeze({
    name: junction.name,
    columns: junction.timestamps ? [...keys, createdAt] : keys,
    primaryKey: keys,
    indexes: [index(junction.name, [other!], false)],
    foreignKeys: [],
  })
}

/** The fields that an index covers by what the resource declares, by what finds its records, or in any case. */
export const indexedFields = ({
  definition: { indexes = [] },
  foundBy,
}: Pick<ResourceDraft, 'definition' | 'foundBy'>): ReadonlySet<string> =>
  new Set([...indexes.flatMap(({ fields }) => fields), ...foundBy, 'createdAt'])

/** Rows that a soft delete has left in place. */
export const notDeleted = (deletedAt: Column): Condition => ({ op: 'null', column: deletedAt })

function indexesOf(table: string, draft: Drafted): readonly Index[] {
  const live =
    draft.definition.features?.softDelete === true ? draft.fields.get('deletedAt')?.column : undefined
  const uniques = [...draft.fields.values()]
    .filter((field) => field.unique && !field.primaryKey && field.column)
    .map((field) => index(table, [comparedIn(field)], true, live && notDeleted(live)))
  const declared = (draft.definition.indexes ?? []).flatMap(({ fields, unique, name }) => {
    const columns = fields.flatMap((name) => {
      const field = draft.fields.get(name)
      return field?.column ? comparedIn(field) : []
    })
    if (columns.length !== fields.length) return []
    return index(table, columns, unique ?? false, unique && live ? notDeleted(live) : undefined, name)
  })
  const derived = [...draft.fields.values()].flatMap((field) =>
    field.derived.filter(({ isIndexed }) => isIndexed).map(({ column }) => index(table, [column], false)),
  )
  const own = distinctByName([...uniques, ...declared, ...derived])
  const brought = [...draft.fields.values()].flatMap((field) => broughtIndexes(table, field))
  const implied = impliedColumns(draft)
    .filter((column) => !own.some((one) => one.columns[0] === column && !one.where))
    .map((column) => index(table, [column], false))
  return [
    ...[...own, ...implied].map((one) => endingInKey(one, draft.key.column!)),
    ...ownFormulaIndexes(table, draft),
    ...brought,
    ...searchIndex(table, draft),
  ]
}

/** The few records that have a formula of their own are found among many, where it may look into others. */
const ownFormulaIndexes = (table: string, { fields, key, others }: Drafted): readonly Index[] =>
  others === undefined
    ? []
    : [...fields.values()].flatMap(({ name, column, overrides }) =>
        overrides === undefined || column === undefined
          ? []
          : [index(table, [key.column!], false, { op: 'not', of: { op: 'null', column } }, `${name}_own`)],
      )

/** The column by which a field's values are found; a sealed one that nothing finds was reported. */
const comparedIn = (field: Field): Column => equalityOf(field)?.column ?? field.column!

/** The indexes that the type of a field brings. */
function broughtIndexes(table: string, { name, column, compiled, derived }: Field): readonly Index[] {
  if (column === undefined) return []
  return Object.entries(compiled.indexes ?? {}).map(([called, { derived: names, ...made }]) =>
    Object.freeze({
      name: boundedName([table, name, called, 'idx']),
      columns: names ? names.map((one) => derived.find((other) => other.name === one)!.column) : [column],
      unique: false,
      ...('spatial' in made ? { spatial: made.spatial } : { custom: made.writings }),
    }),
  )
}

/** Whether an index finds rows by a column. */
export const indexedBy = (column: Column, { primaryKey, indexes }: Table): boolean =>
  primaryKey[0] === column ||
  indexes.some(
    ({ columns, where, search, spatial }) => columns[0] === column && !where && !search && !spatial,
  )

/** The table with an index by which rows are found by each of these columns. */
export const withIndexes = (table: Table, columns: readonly Column[], key: Column): Table =>
  Object.freeze({
    ...table,
    indexes: [
      ...table.indexes,
      ...columns.map((column) => endingInKey(index(table.name, [column], false), key)),
    ],
  })

/** Every order ends in the key, and so does an index that is to give rows in that order. */
const endingInKey = (one: Index, key: Column): Index =>
  one.unique || one.columns.includes(key) ? one : Object.freeze({ ...one, columns: [...one.columns, key] })

/** Over every field that `search` may look in; which of them it does is the caller's rights. */
function searchIndex(table: string, { definition, fields }: Drafted): readonly Index[] {
  if (definition.features?.search !== true) return []
  const columns = [...fields.values()].flatMap(({ compiled, column }) =>
    compiled.type.searchable && column ? column : [],
  )
  if (columns.length === 0) return []
  return [Object.freeze({ name: boundedName([table, 'search']), columns, unique: false, search: true })]
}

/** Columns that are looked up by without anybody asking: foreign keys, and the default order of lists. */
function impliedColumns(draft: Drafted): readonly Column[] {
  const keys = [...draft.relationships.values()]
    .filter((one) => one.kind === 'belongsTo')
    .map((one) => one.foreignKey)
  return [...new Set([...keys, ...draft.foundBy, 'createdAt'])].flatMap((name) => {
    const field = draft.fields.get(name)
    if (field?.column === undefined || field.primaryKey) return []
    return field.column.kind === 'json' || field.column.codec !== undefined ? [] : field.column
  })
}

function index(
  table: string,
  columns: readonly Column[],
  unique: boolean,
  where?: Condition,
  name?: string,
): Index {
  const parts = name === undefined ? columns.map((column) => column.name) : [name]
  const made = { name: boundedName([table, ...parts, unique ? 'key' : 'idx']), columns, unique }
  return Object.freeze(where === undefined ? made : { ...made, where })
}

const distinctByName = (indexes: readonly Index[]): readonly Index[] => [
  ...new Map(indexes.map((one) => [one.name, one])).values(),
]

const ON_DELETE = { cascade: 'cascade', restrict: 'restrict', nullify: 'set null' } as const

function foreignKeysOf(
  table: string,
  draft: Drafted,
  { domain, drafts }: TableSurroundings,
): readonly ForeignKey[] {
  const enforced = [...draft.relationships.values()].filter(
    (one): one is BelongsTo & { onDelete: keyof typeof ON_DELETE } =>
      one.kind === 'belongsTo' && one.onDelete !== 'none',
  )
  return enforced.flatMap(({ target, foreignKey, onDelete }) => {
    if (target.kind === 'users') return []
    return Object.freeze({
      name: boundedName([table, foreignKey, 'fkey']),
      column: draft.fields.get(foreignKey)!.column!,
      references: { table: tableName(domain, target.name), column: drafts.get(target.name)!.key.name },
      onDelete: ON_DELETE[onDelete],
    })
  })
}
