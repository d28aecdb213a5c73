import type { Reach, Relation, Term } from '@svc/expression/contract'
import {
  type Column,
  type Condition,
  type Row,
  type ScalarType,
  TEXT,
  type Value,
  type Worked,
} from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { isComputed } from '../model/computed.ts'
import type { ComputedField, Field } from '../model/field.ts'
import { endOf } from '../model/relation-end.ts'
import { fitting } from '../present/formulas.ts'

/** Fields that reach other records, as the store works them out while it reads those that they belong to. */
export interface WorkedFields {
  /** What the rows are to bring besides. */
  readonly worked: readonly Worked[]
  /** The fields before these, where these come last; undefined where one of them comes in between. */
  readonly before: readonly Field[] | undefined
  /** The fields of one row that the store has answered, by their names. */
  valuesOf(row: Row): Row
}

interface Formula {
  readonly field: ComputedField
  readonly column: Column
  readonly term: Term
}

/**
 * How the store works out those of `fields` that reach other records, as far as the caller may read these; undefined where
 * none does, and where one of them takes more than a store can say of records that the caller may read as they are.
 */
export function workedFields(fields: readonly Field[], access: Access): WorkedFields | undefined {
  if (access.reachOf(fields).size === 0) return undefined
  const reaching = fields.filter(isReaching)
  const rows = new Map<Relation, Condition>()
  if (!reaching.every((field) => isOpen(field, access, rows))) return undefined
  const formulas = reaching.flatMap((field, at) => formula(field, at, access, rows) ?? [])
  if (formulas.length < reaching.length) return undefined
  const before = fields.slice(0, fields.length - reaching.length)
  return {
    worked: formulas.flatMap(({ column, term }) => (term.scalar ? { column, scalar: term.scalar } : [])),
    before: before.some(isReaching) ? undefined : before,
    valuesOf: (row) => Object.fromEntries(formulas.map((one) => [one.field.name, valueIn(row, one)])),
  }
}

/** The text of a row with the values of these fields behind its own. */
export function withValues(row: Row, values: Row): Row {
  const text = String(row[TEXT])
  return { ...row, [TEXT]: `${text.slice(0, -1)},${JSON.stringify(values).slice(1)}` }
}

const isReaching = (field: Field): field is ComputedField =>
  isComputed(field) && field.computed.reach.size > 0

/** Whether the caller may read a formula and all that it is made of in every record; takes note of the rows it may reach. */
function isOpen({ name, computed }: ComputedField, access: Access, rows: Map<Relation, Condition>): boolean {
  const { fields, reach } = computed.expression
  return access.readable(name) !== undefined && areStored(fields, access) && isOpenWay(reach, access, rows)
}

function areStored(names: ReadonlySet<string>, access: Access): boolean {
  for (const name of names) if (access.readable(name)?.column === undefined) return false
  return true
}

function isOpenWay(reach: Reach, { caller, now }: Access, rows: Map<Relation, Condition>): boolean {
  for (const { relation, fields, reach: further } of reach.values()) {
    const { target, relationship } = endOf(relation)
    if (target === undefined) return false
    const access = Access.of(target, caller, now)
    const found = access.rowsIfAny(relationship.kind === 'belongsTo' ? 'get' : 'list')
    const ordered = relation.join.order.map(({ column }) => column.name)
    const followed = relationship.kind === 'hasMany' ? [relationship.foreignKey] : []
    if (found === undefined || !areStored(new Set([...fields, ...ordered, ...followed]), access)) return false
    rows.set(relation, found)
    if (!isOpenWay(further, access, rows)) return false
  }
  return true
}

/** No table has a column of such a name, and no store cuts it short. */
const nameAt = (at: number): string => `~${at}`

const KINDS = { text: 'text', number: 'float', boolean: 'boolean' } as const satisfies Record<
  ScalarType,
  Column['kind']
>

function formula(
  field: ComputedField,
  at: number,
  { caller, now }: Access,
  rows: ReadonlyMap<Relation, Condition>,
): Formula | undefined {
  const bind = field.computed.translated()
  if (bind === undefined) return undefined
  const term = bind({ user: caller, now, rowsOf: (relation) => rowsIn(rows, relation) })
  const kind = term.scalar === undefined ? 'json' : KINDS[term.type]
  return { field, term, column: { name: nameAt(at), kind, nullable: true } }
}

function rowsIn(rows: ReadonlyMap<Relation, Condition>, relation: Relation): Condition {
  const found = rows.get(relation)
  if (found === undefined) throw new Error(`nobody has asked which records '${relation.name}' may lead to`)
  return found
}

const valueIn = (row: Row, { field, column, term }: Formula): Value =>
  fitting(term.scalar === undefined ? term.value : (row[column.name] ?? null), field.compiled)
