import type { RowsOf, Term } from '@svc/expression/contract'
import { type Column, type Row, type ScalarType, TEXT, type Value, type Worked } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { isComputed } from '../model/computed.ts'
import type { ComputedField, Field } from '../model/field.ts'
import { isCrossedName } from '../model/crossed.ts'
import { fitting } from '../present/formulas.ts'
import { openWays } from './open.ts'

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
  const reach = access.reachOf(fields)
  if (reach.size === 0 || [...reach.keys()].some(isCrossedName)) return undefined
  const reaching = fields.filter(isReaching)
  if (!reaching.every((field) => isOpen(field, access))) return undefined
  const rowsOf = openWays(
    reaching.map(({ computed }) => computed.expression),
    access,
    { ofAccounts: NO_ACCOUNTS },
  )
  if (rowsOf === undefined) return undefined
  const formulas = reaching.flatMap((field, at) => formula(field, at, access, rowsOf) ?? [])
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

/** Accounts are read beside the records: their owners see more of them than others do. */
const NO_ACCOUNTS: ReadonlySet<string> = new Set()

const isReaching = (field: Field): field is ComputedField =>
  isComputed(field) && field.computed.reach.size > 0

const isOpen = ({ name }: Field, access: Access): boolean => access.readable(name) !== undefined

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
  rowsOf: RowsOf,
): Formula | undefined {
  const bind = field.computed.translated()
  if (bind === undefined) return undefined
  const term = bind({ user: caller, now, rowsOf })
  const kind = term.scalar === undefined ? 'json' : KINDS[term.type]
  return { field, term, column: { name: nameAt(at), kind, nullable: true } }
}

const valueIn = (row: Row, { field, column, term }: Formula): Value =>
  fitting(term.scalar === undefined ? term.value : (row[column.name] ?? null), field.compiled)
