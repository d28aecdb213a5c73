import type { BlockOperation, RecordInput, Records, Sheet, SheetColumn } from '@svc/domain/contract'
import { type Call, errors, Reply } from '@svc/kernel'
import { readAddition, readChange } from './body.ts'
import { presentColumn, presentColumns } from './present.ts'
import type { Rules } from './rules.ts'

/** Columns are read by whoever may list the records. */
export const readingOperations = ({ maxColumns }: Rules): readonly BlockOperation[] => [
  {
    name: 'columns',
    summary: 'List the columns that users have added',
    routes: { 'GET /columns': 'list' },
    async handle(input, call, records) {
      await records.about({ ...input }, call)
      const { columns } = records.data
      const items = await presentColumns(columns.of(records.resource), columns)
      return { items, count: items.length, maxColumns }
    },
  },
  {
    name: 'column',
    summary: 'Read one column that users have added',
    routes: { 'GET /columns/:column': 'list' },
    async handle(input, call, records) {
      await records.about(input, call)
      const { columns } = records.data
      return presentColumn(find(nameIn(input), columns.of(records.resource)), columns)
    },
  },
]

/** Adds, changes and deletes columns. */
export const changingOperations = (rules: Rules): readonly BlockOperation[] => [
  {
    name: 'add-column',
    summary: 'Add a column',
    routes: { 'POST /columns': 'list' },
    access: rules.permissions.addColumn,
    alters: true,
    async handle(input, call, records) {
      const column = await change(records, call, (sheet) => readAddition(input.data, { sheet, rules, call }))
      return Reply.created(await presentColumn(column!, records.data.columns))
    },
  },
  {
    name: 'change-column',
    summary: 'Rename a column, or say something else of it',
    routes: { 'PATCH /columns/:column': 'list' },
    access: rules.permissions.renameColumn,
    alters: true,
    async handle(input, call, records) {
      const name = nameIn(input)
      const column = await change(records, call, (sheet) =>
        readChange(input.data, find(name, sheet.columns), { sheet, call }),
      )
      const { columns } = records.data
      return presentColumn(column ?? find(name, columns.of(records.resource)), columns)
    },
  },
  {
    name: 'delete-column',
    summary: 'Delete a column with its values',
    routes: { 'DELETE /columns/:column': 'list' },
    access: rules.permissions.deleteColumn,
    alters: true,
    async handle(input, call, records) {
      await change(records, call, (sheet) => ({
        change: 'delete',
        column: find(nameIn(input), sheet.columns),
      }))
      return Reply.empty()
    },
  },
]

type Decide = Parameters<Records['data']['columns']['change']>[2]

const change = ({ data, resource }: Records, call: Call, decide: Decide): Promise<SheetColumn | undefined> =>
  data.columns.change(resource, call, decide)

const nameIn = ({ path }: RecordInput): string => path?.['column'] ?? ''

function find(name: string, columns: Sheet['columns']): SheetColumn {
  const found = columns.find((one) => one.name === name)
  if (found) return found
  throw errors.NOT_FOUND({ message: `There is no column '${name}'` })
}
