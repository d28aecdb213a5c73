import { isDerivedColumn } from '../model/names.ts'
import type { Resource } from '../model/resource.ts'
import type { Subject } from './concern.ts'
import { changeFields } from './field-changes.ts'
import type { ResourcePair } from './pairs.ts'
import type { SchemaWalk } from './schema.ts'
import type { MigrationStep, Work } from './step.ts'
import { columnOf, type TablePair } from './tables.ts'

/** Brings the columns of a table from the former model to the present one. */
export function changeColumns(pair: TablePair, walk: SchemaWalk): readonly MigrationStep[] {
  return [...dropColumns(pair, walk), ...changeFields(pair, walk), ...addColumns(pair, walk)]
}

function dropColumns(pair: TablePair, walk: SchemaWalk): readonly MigrationStep[] {
  const { from, to, label, columns } = pair
  return from.columns
    .filter(({ name }) => !columns.has(name))
    .map((column) => ({
      kind: 'dropColumn',
      table: to.name,
      column: column.name,
      message: `${label}: '${column.name}' is dropped`,
      // What is derived is worked out again.
      ...(!isDerivedColumn(column) && {
        loss: `${label}: '${column.name}' is dropped with its values${probableRename(column.name, pair.resource)}`,
        concern: {
          table: from,
          column,
          which: 'filled',
          ...(pair.resource && { of: [subjectOf(pair.resource.from, column.name)] }),
        },
      }),
      work: [walk.dropColumn(to.name, column)],
    }))
}

const subjectOf = (resource: Resource, name: string): Subject => {
  const field = resource.fields.get(name)
  return { resource, ...(field && { field }) }
}

/** A field that goes while another of its type comes was probably renamed. */
function probableRename(name: string, resource: ResourcePair | undefined): string {
  const dropped = resource?.fields.dropped.find((field) => field.name === name)
  const sameType = resource?.fields.added.filter(
    (field) => field.compiled.type.name === dropped?.compiled.type.name && field.column,
  )
  const [meant] = sameType ?? []
  if (dropped === undefined || meant === undefined) return ''
  return `; if '${meant.name}' is its new name, write 'renamedFrom: ${name}' there to keep them`
}

function addColumns(
  { from, to, label, columns, resource }: TablePair,
  walk: SchemaWalk,
): readonly MigrationStep[] {
  const kept = new Set(columns.values())
  return to.columns
    .filter(({ name }) => !kept.has(name))
    .map((column) => {
      const keys = to.foreignKeys.filter((key) => key.column.name === column.name)
      const added = walk.addColumn(to.name, column, keys)
      const value = resource && valueForOld(resource.to, column.name)
      const fill: readonly Work[] =
        value === undefined || value === null
          ? []
          : [{ kind: 'fill', table: walk.table(to.name), column, value }]
      const again = columnOf(from, column.name) === undefined ? '' : ' anew'
      return {
        kind: 'addColumn',
        table: to.name,
        column: column.name,
        message: `${label}: '${column.name}' is added${again}${fill.length > 0 ? `, with ${JSON.stringify(value)} in the records that are there` : ''}`,
        work: [added, ...fill],
      }
    })
}

/** What records that are there already get in a new field. */
function valueForOld({ fields, stateMachine }: Resource, name: string) {
  return fields.get(name)?.default ?? (stateMachine?.field === name ? stateMachine.initial : undefined)
}
