import {
  doubtRoles,
  type FieldType,
  type Path,
  type ResourceBlock,
  type ResourceSite,
} from '@svc/domain/contract'
import { type DynamicFields, DynamicFields as schema, MAX_COLUMNS } from './definition.ts'
import { COLUMNS_DOCUMENTATION } from './documentation.ts'
import { changingOperations, readingOperations } from './operations.ts'
import type { Rules } from './rules.ts'
import { isColumnType } from './column-type.ts'

/** Finds a field type by its name or by an alias. */
export type TypeNamed = (name: string) => FieldType | undefined

/** The key `dynamicFields` of a resource with `mode: sheet`: columns that its users add. */
export const columnsBlock = (typeNamed: TypeNamed): ResourceBlock<DynamicFields> => ({
  on: 'resource',
  key: 'dynamicFields',
  schema: schema.describe('The columns that users may add to a sheet.'),
  compile(written, site) {
    if (site.resource.definition.mode !== 'sheet') {
      if (written) site.warning([], "means nothing without 'mode: sheet'")
      return undefined
    }
    const rules = rulesOf(written ?? {}, site, typeNamed)
    return {
      operations: [
        ...readingOperations(rules),
        ...(written?.enabled === false ? [] : changingOperations(rules)),
      ],
      describe: () => ({
        schema: { dynamicFields: { enabled: written?.enabled ?? true, maxColumns: rules.maxColumns } },
        openapi: COLUMNS_DOCUMENTATION,
      }),
    }
  },
})

function rulesOf(
  { allowTypes, maxColumns = MAX_COLUMNS.usual, permissions = {} }: DynamicFields,
  site: ResourceSite,
  typeNamed: TypeNamed,
): Rules {
  const types = allowTypes?.flatMap(
    (name, at) => typeOf(name, typeNamed(name), ['allowTypes', at], site) ?? [],
  )
  for (const [name, roles] of Object.entries(permissions)) {
    doubtRoles(roles ?? [], ['permissions', name], site, false)
    const at = roles?.indexOf('owner') ?? -1
    if (at >= 0)
      site.problem(['permissions', name, at], "a column has no owner: 'owner' lets nobody in", 'Name roles')
  }
  const { addColumn = ADMINS, renameColumn = ADMINS, deleteColumn = ADMINS } = permissions
  return {
    allowTypes: types && new Set(types),
    maxColumns,
    permissions: { addColumn, renameColumn, deleteColumn },
  }
}

const ADMINS: readonly string[] = ['admin']

/** The type's own name, where a column may be of it; reports it otherwise. */
function typeOf(
  name: string,
  type: FieldType | undefined,
  path: Path,
  site: ResourceSite,
): string | undefined {
  if (type !== undefined && isColumnType(type.name)) return type.name
  const message = type ? `no column can be of the type '${type.name}'` : `there is no field type '${name}'`
  site.problem(path, message, 'See the types of columns in docs/definition/sheet.md')
  return undefined
}
