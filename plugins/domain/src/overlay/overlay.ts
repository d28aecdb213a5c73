import type { SheetColumn } from '../contract/columns.ts'
import type { Definition } from '../definition/schema/definition.ts'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { ResourceDefinition } from '../definition/schema/resource.ts'

/** Former names of columns, by their ids: a migration that follows keeps their values. */
export type Renames = ReadonlyMap<string, string>

/**
 * What a definition becomes with the columns that users have added: fields behind those that are declared. A declared
 * field that has taken a column over goes by the column's id in ledgers.
 */
export function overlaid(
  definition: Definition,
  columns: readonly SheetColumn[],
  renames: Renames = new Map(),
): Definition {
  if (columns.length === 0) return definition
  const resources = { ...definition.resources }
  for (const column of columns) {
    const resource = resources[column.resource]
    if (resource !== undefined) resources[column.resource] = withColumn(resource, column, renames)
  }
  return { ...definition, resources }
}

function withColumn(resource: ResourceDefinition, column: SheetColumn, renames: Renames): ResourceDefinition {
  const { name, id } = column
  const declared = resource.object[name]
  const former = renames.get(id)
  const field: FieldDefinition =
    column.isDeclared && declared !== undefined
      ? { ...(typeof declared === 'string' ? { type: declared } : declared), keptAs: keptAs(id) }
      : {
          ...column.definition,
          keptAs: keptAs(id),
          dynamic: true,
          ...(former !== undefined && { renamedFrom: former }),
        }
  return { ...resource, object: { ...resource.object, [name]: field } }
}

/** What ledgers call the values of a column; no field has such a name. */
const keptAs = (id: string): string => `~${id}`
