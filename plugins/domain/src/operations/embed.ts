import type { Warning } from '@svc/kernel'
import {
  assertFits,
  CARRIED,
  type Column,
  type Condition,
  type Order,
  type Row,
  TEXT,
  type Value,
} from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import type { BelongsTo, BelongsToMany, HasMany, Relationship } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import { storedForm } from '../model/stored-form.ts'
import { type Included, isNothing, PERMISSIONS } from '../query/include.ts'
import { allOf, liveRows } from '../query/live.ts'
import { order } from '../query/sort.ts'
import { type Form, TEXTS, VALUES } from './embed-form.ts'
import type { Reading } from './reading.ts'
import { neighboursOf } from '../reach/neighbours.ts'
import { permissionReach } from '../reach/permission.ts'
import { recordPermissions } from './record-permissions.ts'

/** The most records that one included relationship brings into one answer. */
const MAX_INCLUDED = 10_000

/**
 * Puts what is included into records: `shown` as the caller sees them, `rows` as they were read, in the same
 * order. One query for each relationship, and none for permissions, however many records there are; what the
 * caller may not read is null or an empty list. What is too much is cut off and warned of.
 */
export async function embed(
  reading: Reading,
  included: Included,
  rows: readonly Row[],
  shown: readonly Row[],
  access: Access,
): Promise<readonly Row[]> {
  if (isNothing(included) || rows.length === 0) return shown
  const embedded = shown.map((row): Record<string, Value> => ({ ...row }))
  for (const relationship of included.relationships) {
    const values = await read(relationship, rows, {
      reading,
      access,
      form: VALUES,
      names: included.fields.get(relationship.name),
    })
    for (const [at, record] of embedded.entries()) record[relationship.name] = values(rows[at]!)
  }
  if (included.permissions) {
    const reach = permissionReach(access.resource)
    const { store: reader } = reading.runtime
    const found =
      reach.size === 0 ? [] : await neighboursOf(rows, reach, { reader, access, rights: 'author' })
    for (const [at, record] of embedded.entries())
      record[PERMISSIONS] = recordPermissions(reading.model, access, rows[at]!, found[at])
  }
  return embedded
}

/** The same for records that were read as text, and leave as text with what they include; permissions are no part of it. */
export async function embedInTexts(
  reading: Reading,
  { relationships, fields }: Included,
  rows: readonly Row[],
  access: Access,
): Promise<readonly string[]> {
  const texts = rows.map((row) => String(row[TEXT]))
  if (rows.length === 0) return texts
  let length = texts.reduce((sum, text) => sum + text.length, 0)
  for (const relationship of relationships) {
    const values = await read(relationship, rows, {
      reading,
      access,
      form: TEXTS,
      names: fields.get(relationship.name),
    })
    for (const [at, row] of rows.entries()) {
      const value = values(row)
      // What is included once may stand in many records.
      assertFits((length += value.length))
      texts[at] = withMember(texts[at]!, relationship.name, value)
    }
  }
  return texts
}

/** The text of an object with one member more, whose name needs no escape. */
const withMember = (text: string, name: string, value: string): string =>
  `${text === '{}' ? '{' : `${text.slice(0, -1)},`}"${name}":${value}}`

interface Around<T> {
  readonly reading: Reading
  /** Of the resource that the relationships belong to. */
  readonly access: Access
  readonly form: Form<T>
  /** Names of the fields that are shown; the usual ones unless said. */
  readonly names: readonly string[] | undefined
}

type Embedded<T> = (row: Row) => T

function read<T>(relationship: Relationship, rows: readonly Row[], around: Around<T>): Promise<Embedded<T>> {
  if (relationship.kind === 'belongsTo') return readOne(relationship, rows, around)
  if (relationship.kind === 'hasMany') return readChildren(relationship, rows, around)
  return readLinked(relationship, rows, around)
}

async function readOne<T>(
  { name, foreignKey, target }: BelongsTo,
  rows: readonly Row[],
  around: Around<T>,
): Promise<Embedded<T>> {
  const { form } = around
  const none = form.value(null)
  const nothing = () => none
  if (around.access.readable(foreignKey) === undefined) return nothing
  const keys = distinct(rows, foreignKey)
  if (keys.length === 0) return nothing
  if (target.kind === 'users') return readUsers(keys, foreignKey, around)
  const access = targetAccess(target.name, around)
  const { key } = access.resource
  const where = [{ op: 'in', column: key.column!, values: keys } as const]
  const records = await readAllowed(access, 'get', where, around, { order: UNSORTED, name })
  const one = await presenting(records, access, around)
  const byKey = new Map(records.map((row, at) => [row[key.name], one(row, at)]))
  return (row) => byKey.get(row[foreignKey] ?? null) ?? none
}

async function readUsers<T>(
  keys: readonly Value[],
  foreignKey: string,
  { reading, form, names }: Around<T>,
): Promise<Embedded<T>> {
  const users = await reading.runtime.describeUsers(keys.map(String))
  const byId = new Map(
    users.map(({ id, username }) => [
      id,
      form.value(names?.includes('username') === false ? { id } : { id, username }),
    ]),
  )
  return (row) => byId.get(String(row[foreignKey])) ?? form.value(null)
}

async function readChildren<T>(
  relationship: HasMany,
  rows: readonly Row[],
  around: Around<T>,
): Promise<Embedded<T>> {
  const access = targetAccess(relationship.target.kind === 'resource' ? relationship.target.name : '', around)
  const field = access.resource.fields.get(relationship.foreignKey)!
  if (access.readable(field.name) === undefined) return () => around.form.list([])
  const keys = distinct(rows, around.access.resource.key.name)
  const where = [
    { op: 'in', column: field.column!, values: keys } as const,
    ...childrenOf(relationship, access.resource),
  ]
  const records = await readAllowed(access, 'list', where, around, {
    order: orderOf(relationship, access),
    also: [field.column!],
    name: relationship.name,
  })
  return grouped(
    records,
    [field.name, around.access.resource.key.name],
    await presenting(records, access, around),
    around.form,
  )
}

async function readLinked<T>(
  relationship: BelongsToMany,
  rows: readonly Row[],
  around: Around<T>,
): Promise<Embedded<T>> {
  const access = targetAccess(relationship.target.kind === 'resource' ? relationship.target.name : '', around)
  const { near, far } = sidesOf(relationship)
  const keys = distinct(rows, around.access.resource.key.name)
  const through = {
    table: relationship.junction,
    carry: near,
    on: [far, access.resource.key.column!] as const,
    where: { op: 'in', column: near, values: keys } as const,
  }
  const records = await readAllowed(access, 'list', [], around, { through, name: relationship.name })
  return grouped(
    records,
    [CARRIED, around.access.resource.key.name],
    await presenting(records, access, around),
    around.form,
  )
}

/** The columns of a junction: of this side's key, and of the other's. */
export function sidesOf({ junction, foreignKey, otherKey }: BelongsToMany): { near: Column; far: Column } {
  const column = (name: string) => junction.columns.find((one) => one.name === name)!
  return { near: column(foreignKey), far: column(otherKey) }
}

/** The conditions that a hasMany puts on its target besides the key. */
export function childrenOf({ where }: HasMany, { fields }: Resource): readonly Condition[] {
  return Object.entries(where).map(([name, value]): Condition => {
    const field = fields.get(name)!
    const column = field.column!
    const stored = storedForm(field, value)
    return stored === null ? { op: 'null', column } : { op: 'eq', column, value: stored }
  })
}

/** The order that a hasMany declares, as far as the caller may know of it: places and cursors tell of values. */
export const orderOf = ({ orderBy }: HasMany, access: Access): readonly Order[] =>
  orderBy.flatMap(({ field, descending }) => {
    const column = access.readable(field)?.column
    return column ? { column, descending } : []
  })

/** Each record is looked up by its key. */
const UNSORTED: readonly Order[] = []

interface ReadOptions {
  /** The relationship that is read. */
  readonly name: string
  /** The default order of the resource unless said. */
  readonly order?: readonly Order[]
  /** Columns to read besides the shown ones. */
  readonly also?: readonly Column[]
  readonly through?: NonNullable<Parameters<Reading['runtime']['store']['select']>[0]['through']>
}

/** Live records that the caller may read by `operation`; none where that is forbidden altogether. */
async function readAllowed<T>(
  access: Access,
  operation: 'get' | 'list',
  where: readonly Condition[],
  { reading, form, names }: Around<T>,
  { name, order: sorted, also = [], through }: ReadOptions,
): Promise<readonly Row[]> {
  const { resource } = access
  const rows = access.beside(operation, reading.also)
  if (rows === undefined) return []
  const { columns, text } = form.reads(access, shownOf(access, names))
  const found = await reading.runtime.store.select({
    table: resource.table,
    columns: [...new Set([...columns, resource.key.column!, ...also])],
    ...(text && { text }),
    where: allOf([rows, ...liveRows(resource), ...where]),
    order: sorted === UNSORTED ? sorted : order(undefined, access, () => undefined, sorted),
    limit: MAX_INCLUDED + 1,
    ...(through && { through }),
    arrival: reading.arrival,
  })
  if (found.length <= MAX_INCLUDED) return found
  reading.warn(cutOff(name))
  return found.slice(0, MAX_INCLUDED)
}

const cutOff = (name: string): Warning => ({
  rule: 'incomplete',
  message: `'${name}' in 'include' holds more than ${MAX_INCLUDED} records: the others are left out. Ask for fewer records, or for the list of one`,
  severity: 'warning',
  regulation: null,
})

function targetAccess(
  name: string,
  { reading, access }: Pick<Around<unknown>, 'reading' | 'access'>,
): Access {
  const resource = reading.model.resources.get(name)
  if (resource === undefined) throw new Error(`the model has no resource '${name}'`)
  return Access.of(resource, access.caller, access.now)
}

/** The fields of included records: what the caller may not see is left out, and the key comes along. */
const shownOf = (access: Access, names: readonly string[] | undefined): readonly Field[] =>
  names === undefined
    ? access.shown
    : [...new Set([access.resource.key, ...names.flatMap((name) => access.selectable(name) ?? [])])]

/** How the records, in their order, are shown: with what they are worked out from, which one more query reads. */
async function presenting<T>(records: readonly Row[], access: Access, { reading, form, names }: Around<T>) {
  const fields = shownOf(access, names)
  const reach = access.reachOf(fields)
  const { runtime, also = [] } = reading
  const found =
    reach.size === 0
      ? []
      : await neighboursOf(records, reach, { reader: runtime.store, access, rights: 'caller', also })
  return (record: Row, at: number): T => form.one(record, access, fields, found[at])
}

function grouped<T>(
  records: readonly Row[],
  [by, key]: readonly [by: string, key: string],
  present: (record: Row, at: number) => T,
  form: Form<T>,
): Embedded<T> {
  const groups = new Map<Value | undefined, T[]>()
  for (const [at, record] of records.entries()) {
    const one = present(record, at)
    const group = groups.get(record[by])
    if (group) group.push(one)
    else groups.set(record[by], [one])
  }
  return (row) => form.list(groups.get(row[key]) ?? [])
}

const distinct = (rows: readonly Row[], name: string): readonly Exclude<Value, null>[] => [
  ...new Set(rows.map((row) => row[name] ?? null).filter((value) => value !== null)),
]
