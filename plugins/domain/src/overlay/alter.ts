import type { Caller } from '@svc/kernel'
import type { ColumnChange, Sheet, SheetColumn, WantedChange } from '../contract/columns.ts'
import type { Graph } from '../crossing/graph.ts'
import type { FieldTypes } from '../fields/index.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { assertColumn } from './judge.ts'
import { assertUnreadByColumns, carriedInto } from './formula.ts'
import type { Renames } from './overlay.ts'

/** A change of the columns of a domain, as it will be. */
export interface Altered {
  /** All columns of the domain afterwards. */
  readonly columns: readonly SheetColumn[]
  /** The column that it is about; of a deletion as it was. */
  readonly column: SheetColumn
  readonly change: ColumnChange
  readonly previousName: string | null
  readonly renames: Renames
}

/** What a change is made of. */
export interface Altering {
  readonly model: Model
  readonly resource: Resource
  readonly columns: readonly SheetColumn[]
  readonly types: FieldTypes
  readonly caller: Caller
  readonly acceptLanguage: string | undefined
  readonly at: string
  readonly newId: () => string
  /** What formulas read of each other, where they may look into other records. */
  readonly graph: Graph | undefined
}

/** The columns of a resource that are fields of their own, in the order of their creation. */
export const columnsOf = (columns: readonly SheetColumn[], { name }: Resource): readonly SheetColumn[] =>
  columns.filter((one) => one.resource === name && !one.isDeclared)

/** Works a change out; undefined where nothing is to be done. Throws VALIDATION_ERROR and DUPLICATE. */
export function alter(
  decide: (sheet: Sheet) => WantedChange | undefined,
  around: Altering,
): Altered | undefined {
  const { resource, columns, types } = around
  const wanted = decide({
    resource,
    columns: columnsOf(columns, resource),
    fieldType: (name) => types.find(name),
  })
  if (wanted === undefined) return undefined
  if (wanted.change === 'delete') {
    assertUnreadByColumns(wanted.column, columns)
    return without(wanted.column, columns)
  }
  assertColumn({
    ...around,
    name: wanted.name,
    definition: wanted.definition,
    ...(wanted.change === 'change' && { former: wanted.column.name }),
  })
  return wanted.change === 'add' ? added(wanted, around) : changed(wanted, around)
}

const without = (column: SheetColumn, columns: readonly SheetColumn[]): Altered => ({
  columns: columns.filter(({ id }) => id !== column.id),
  column,
  change: 'deleted',
  previousName: null,
  renames: new Map(),
})

function added(
  { name, definition }: WantedChange & { readonly change: 'add' },
  { resource, columns, at, newId }: Altering,
): Altered {
  const column: SheetColumn = {
    id: newId(),
    resource: resource.name,
    name,
    definition,
    createdAt: at,
    updatedAt: at,
    isDeclared: false,
  }
  return { columns: [...columns, column], column, change: 'added', previousName: null, renames: new Map() }
}

function changed(
  { column: was, name, definition }: WantedChange & { readonly change: 'change' },
  { resource, columns, acceptLanguage, at }: Altering,
): Altered {
  const column = { ...was, name, definition, updatedAt: at }
  const isRenamed = was.name !== name
  const renaming = { resource: was.resource, from: was.name, to: name }
  return {
    columns: columns.map((one) => {
      if (one.id === was.id) return column
      return isRenamed ? carriedInto(one, renaming, { resource, acceptLanguage }) : one
    }),
    column,
    change: isRenamed ? 'renamed' : 'changed',
    previousName: isRenamed ? was.name : null,
    renames: new Map(isRenamed ? [[was.id, was.name]] : []),
  }
}
