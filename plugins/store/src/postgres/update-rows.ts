import { sql } from 'kysely'
import { columnOf } from '../compile/columns.ts'
import type { Sql } from '../compile/dialect.ts'
import { type Form, listed, named, PARAMETER } from '../compile/form.ts'
import { ownerOf } from '../compile/owner.ts'
import { assertPlain } from '../compile/plain.ts'
import { keyOf, setColumns } from '../compile/update-rows.ts'
import type { Column, Row, UpdateRowsPlan } from '../plan.ts'
import { LIST_TYPES } from './list-types.ts'

/** Rows that one statement writes. */
const PORTION = 500

/** The plan as plans of one statement each, whose rows set the same columns. */
export function* statementsOf({ rows, ...plan }: UpdateRowsPlan): Iterable<UpdateRowsPlan> {
  const alike = new Map<string, Row[]>()
  for (const row of rows) {
    const names = setColumns(plan.table, row).toSorted().join()
    const some = alike.get(names)
    if (some === undefined) alike.set(names, [row])
    else some.push(row)
  }
  for (const some of alike.values())
    for (let at = 0; at < some.length; at += PORTION) yield { ...plan, rows: some.slice(at, at + PORTION) }
}

/** One statement for many rows: each column comes as a list, so their number is no part of the statement. */
export const updateRows: Form<UpdateRowsPlan> = {
  kind: 'update rows ',
  read(plan, shape) {
    const { table, rows, increments = {} } = plan
    for (const [name, { by }] of Object.entries(increments)) {
      const column = columnOf(table, name)
      assertPlain(column)
      shape.key += `${name}+,`
      shape.value(column, by)
    }
    shape.key += '|'
    const set = columnsOf(plan)
    shape.columns(set)
    const owners = rows.map((row) => ownerOf(table, row))
    for (const column of table.primaryKey)
      shape.written(
        column,
        rows.map((row) => keyOf(row, column.name)),
        owners,
      )
    for (const column of set)
      shape.written(
        column,
        rows.map((row) => row[column.name] ?? null),
        owners,
      )
  },
  write(plan) {
    const { table, increments = {} } = plan
    const set = columnsOf(plan)
    const all = [...table.primaryKey, ...set]
    const changes = [
      ...Object.keys(increments).map((name) => {
        const column = columnOf(table, name)
        return sql`${named(column)} = ${named(table)}.${named(column)} + ${PARAMETER}`
      }),
      ...set.map((column) => sql`${named(column)} = ${given(all, column)}`),
    ]
    if (changes.length === 0) throw new Error(`an update of '${table.name}' must set a column`)
    const lists = all.map((column) => sql`${PARAMETER}::${typeOf(column)}[]`)
    const names = all.map((_, at) => named({ name: `c${at}` }))
    const keys = table.primaryKey.map(
      (column) => sql`${named(table)}.${named(column)} = ${given(all, column)}`,
    )
    return sql`update ${named(table)} set ${listed(changes)} from unnest(${listed(lists)}) as ${GIVEN} (${listed(names)}) where ${sql.join(keys, sql.raw(' and '))}`
  },
  returned: () => [],
}

const GIVEN: Sql = named({ name: '~given' })

const given = (all: readonly Column[], column: Column): Sql =>
  sql`${GIVEN}.${named({ name: `c${all.indexOf(column)}` })}`

const columnsOf = ({ table, rows }: UpdateRowsPlan): readonly Column[] =>
  setColumns(table, rows[0] ?? {})
    .toSorted()
    .map((name) => columnOf(table, name))

/** What is sealed is kept as text. */
const typeOf = ({ codec, kind }: Column): Sql => LIST_TYPES[codec === undefined ? kind : 'text']
