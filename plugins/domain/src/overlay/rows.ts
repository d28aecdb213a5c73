import {
  column,
  type Condition,
  type Reader,
  type Row,
  type Table,
  type Transaction,
} from '@svc/store/contract'
import { z } from 'zod'
import type { Acted } from '../contract/acted.ts'
import type { ColumnAuthor, SheetColumn } from '../contract/columns.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'

const domain = column('domain', 'text')
const id = column('id', 'uuid')
const CREATED_BY = column('createdBy', 'json')

/** Where the columns that users add are kept, beside the definitions. */
export const COLUMNS: Table = {
  name: 'svc_columns',
  columns: [
    domain,
    id,
    column('resource', 'text'),
    column('name', 'text'),
    column('definition', 'json'),
    CREATED_BY,
    column('isDeclared', 'boolean'),
    column('createdAt', 'datetime'),
    column('updatedAt', 'datetime'),
  ],
  primaryKey: [domain, id],
  indexes: [],
  foreignKeys: [],
}

/** Who has added the columns of a domain. */
export const columnAuthors = (of: string): Acted => ({
  table: COLUMNS,
  actor: CREATED_BY,
  where: { op: 'eq', column: domain, value: of },
})

const ColumnRow = z.object({
  id: z.string(),
  resource: z.string(),
  name: z.string(),
  definition: z.custom<FieldDefinition>((value) => typeof value === 'object' && value !== null),
  isDeclared: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
})

const AuthorRow = z.object({
  id: z.string(),
  createdBy: z.object({ id: z.string().nullable(), username: z.string().nullable() }),
})

/** Who has added the columns of a domain, by the columns' ids. */
export async function readAuthors(of: string, reader: Reader): Promise<ReadonlyMap<string, ColumnAuthor>> {
  const where: Condition = { op: 'eq', column: domain, value: of }
  const rows = await reader.select({ table: COLUMNS, columns: [id, CREATED_BY], where, order: [] })
  return new Map(
    rows.map((row) => {
      const { id: column, createdBy } = AuthorRow.parse(row)
      return [column, createdBy]
    }),
  )
}

/** The columns of a domain, in the order of their creation: their ids ascend. Who has added them is asked for apart. */
export async function readColumns(of: string, reader: Reader): Promise<readonly SheetColumn[]> {
  const rows = await reader.select({
    table: COLUMNS,
    columns: COLUMNS.columns.filter((one) => one !== CREATED_BY),
    where: { op: 'eq', column: domain, value: of },
    order: [{ column: id, descending: false }],
  })
  return rows.map((row) => ColumnRow.parse(row))
}

/** Brings the rows of a domain from one state to the next; `author` is who has added what is new. */
export async function writeColumns(
  of: string,
  from: readonly SheetColumn[],
  to: readonly SheetColumn[],
  author: ColumnAuthor,
  transaction: Transaction,
): Promise<void> {
  const before = new Map(from.map((one) => [one.id, one]))
  for (const one of to) {
    const was = before.get(one.id)
    before.delete(one.id)
    if (was === one) continue
    const values = { ...one, domain: of, definition: { ...one.definition } as Row }
    const createdBy = { id: author.id, username: author.username }
    if (was === undefined) await transaction.insert({ table: COLUMNS, values: { ...values, createdBy } })
    else await transaction.update({ table: COLUMNS, set: values, where: keyOf(of, one) })
  }
  for (const gone of before.values()) await transaction.remove({ table: COLUMNS, where: keyOf(of, gone) })
}

const keyOf = (of: string, one: SheetColumn): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: domain, value: of },
    { op: 'eq', column: id, value: one.id },
  ],
})
