import { ACCOUNTS } from '@svc/auth/contract'
import {
  type Join,
  type Kind,
  kindOfColumn,
  type Relation,
  type Relations,
  type Vocabulary,
} from '@svc/expression/contract'
import type { Column, Condition, Order, Table } from '@svc/store/contract'
import type { Definition } from '../definition/schema/definition.ts'
import { bindWay } from './relation-end.ts'
import type { ResourceDraft } from './draft.ts'
import type { BelongsTo, BelongsToMany, HasMany, Relationship } from './relationship.ts'
import { notDeleted } from './table.ts'
import { relatedVocabulary } from './vocabulary.ts'
import { storedForm } from './stored-form.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>

/** The ways that expressions may go from records of a resource: its relationships, described as data. */
export function relationsOf(draft: ResourceDraft, drafts: Drafts, domain: Definition | undefined): Relations {
  const own = [...draft.relationships.values()].map(
    (one) => [one.name, relationOf(one, draft, drafts)] as const,
  )
  const { name, key, fields } = draft
  const ways = [...(draft.functions?.values() ?? [])].flatMap(
    (one) => (domain && one.ways?.({ domain, name, key, fields })) ?? [],
  )
  for (const way of ways) bindWay(way)
  return new Map([...own, ...ways.map(({ relation }) => [relation.name, relation] as const)])
}

function relationOf(relationship: Relationship, draft: ResourceDraft, drafts: Drafts): Relation {
  const { name, kind, target } = relationship
  const near = kind === 'belongsTo' ? relationship.foreignKey : draft.key.name
  const many = kind !== 'belongsTo'
  if (target.kind === 'users')
    return { name, many, near, vocabulary: OF_USERS, join: joinToUsers(columnIn(draft, near)) }
  const end = drafts.get(target.name)!
  let join: Join | undefined
  return {
    name,
    many,
    near,
    get vocabulary() {
      return relatedVocabulary(end)
    },
    // Tables are known when all fields are.
    get join() {
      return (join ??= { ...joinOf(relationship, draft, end), columns: columnsOf(end) })
    },
  }
}

/** A field that is missing was reported: the model is not for use. */
const columnIn = ({ fields, key }: ResourceDraft, name: string): Column =>
  fields.get(name)?.column ?? key.column!

const columnsOf = ({ fields }: ResourceDraft): ReadonlyMap<string, Column> =>
  new Map(
    [...fields.values()].flatMap(({ name, column }) => (column && !column.codec ? [[name, column]] : [])),
  )

type Ways = Omit<Join, 'columns'>

function joinOf(one: Relationship, draft: ResourceDraft, end: ResourceDraft): Ways {
  if (one.kind === 'belongsTo') return toOne(one, draft, end)
  return one.kind === 'hasMany' ? toChildren(one, draft, end) : toLinked(one, draft, end)
}

const toOne = ({ foreignKey }: BelongsTo, draft: ResourceDraft, end: ResourceDraft): Ways => ({
  related: { table: end.table, on: [end.key.column!, columnIn(draft, foreignKey)], where: liveRowsOf(end) },
  order: [],
})

const toChildren = (
  { foreignKey, where, orderBy }: HasMany,
  draft: ResourceDraft,
  end: ResourceDraft,
): Ways => ({
  related: {
    table: end.table,
    on: [columnIn(end, foreignKey), draft.key.column!],
    where: allOf([
      liveRowsOf(end),
      ...Object.entries(where).map(([name, value]) =>
        isValue(columnIn(end, name), storedForm(end.fields.get(name)!, value)),
      ),
    ]),
  },
  order: orderOf(
    orderBy.map(({ field, descending }) => ({ column: columnIn(end, field), descending })),
    end,
  ),
})

const toLinked = (
  { junction, foreignKey, otherKey }: BelongsToMany,
  draft: ResourceDraft,
  end: ResourceDraft,
): Ways => ({
  between: {
    table: junction,
    on: [columnNamed(junction, foreignKey), draft.key.column!],
    where: { op: 'always' },
  },
  related: {
    table: end.table,
    on: [end.key.column!, columnNamed(junction, otherKey)],
    where: liveRowsOf(end),
  },
  order: orderOf([], end),
})

const columnNamed = ({ columns }: Table, name: string): Column => columns.find((one) => one.name === name)!

const isValue = (column: Column, value: HasMany['where'][string]): Condition =>
  value === null || value === undefined ? { op: 'null', column } : { op: 'eq', column, value }

function liveRowsOf({ definition, fields }: ResourceDraft): Condition {
  const column = definition.features?.softDelete === true ? fields.get('deletedAt')?.column : undefined
  return column ? notDeleted(column) : { op: 'always' }
}

function allOf(conditions: readonly Condition[]): Condition {
  const real = conditions.filter(({ op }) => op !== 'always')
  return real.length === 1 ? real[0]! : real.length === 0 ? { op: 'always' } : { op: 'and', of: real }
}

/** As lists are sorted: by what is declared, else by creation where that is recorded, and in the end by the key. */
function orderOf(declared: readonly Order[], { fields, key }: ResourceDraft): Join['order'] {
  const created = fields.get('createdAt')?.column
  const keys =
    declared.length > 0 || created === undefined ? declared : [{ column: created, descending: false }]
  if (keys.some(({ column }) => column === key.column)) return keys
  return [...keys, { column: key.column!, descending: keys.at(-1)?.descending ?? false }]
}

const USER_COLUMNS = [ACCOUNTS.id, ACCOUNTS.username, ACCOUNTS.email]

const OF_USERS: Vocabulary = {
  fields: new Map<string, Kind>([
    ...USER_COLUMNS.map(({ name, kind }) => [name, kindOfColumn(kind)] as const),
    ['roles', 'list'],
  ]),
}

const joinToUsers = (key: Column): Join => ({
  related: { table: ACCOUNTS.table, on: [ACCOUNTS.id, key], where: { op: 'always' } },
  order: [],
  columns: new Map(USER_COLUMNS.map((column) => [column.name, column])),
})
