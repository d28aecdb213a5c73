import type { Vocabulary } from '@svc/expression/contract'
import { addedCalls } from '../scopes/added.ts'
import { parseScope, type ScopeFilter } from '../scopes/filter.ts'
import type { Path } from '../definition/problem.ts'
import type { ResourceDefinition } from '../definition/schema/resource.ts'
import { compiledOrReport } from './expression.ts'
import type { Field } from './field.ts'
import type { Report } from './report.ts'

/** A named part of a resource's list. */
export interface Scope {
  readonly name: string
  /** A fragment of SQL, as it is written; '' takes every row. */
  readonly filter: string
  /** The fragment, read: the rows that it takes for a caller. */
  readonly rows: ScopeFilter
  /** Taken where the caller names no scope. */
  readonly default: boolean
  readonly description: string | undefined
}

interface ScopeSurroundings {
  readonly fields: ReadonlyMap<string, Field>
  /** What is said of a record at hand. */
  readonly vocabulary: Vocabulary
  readonly report: Report
}

type Written = Pick<Scope, 'name' | 'filter' | 'default' | 'description'>

/** What soft delete brings along, unless the resource declares scopes of these names. */
const SOFT_DELETE_SCOPES: readonly Written[] = [
  { name: 'active', filter: 'deletedAt IS NULL', default: true, description: 'Records that are not deleted' },
  { name: 'deleted', filter: 'deletedAt IS NOT NULL', default: false, description: 'Deleted records' },
  { name: 'all', filter: '', default: false, description: 'All records, deleted ones too' },
]

/** Compiles the scopes of a resource, those of soft delete first. */
export function buildScopes(
  { scopes = {}, features }: ResourceDefinition,
  path: Path,
  { fields, vocabulary, report }: ScopeSurroundings,
): ReadonlyMap<string, Scope> {
  const columns = new Map(
    [...fields.values()]
      .filter(({ compiled }) => compiled.type.readable)
      .flatMap(({ name, column }) => (column ? [[name, column] as const] : [])),
  )
  const added = addedCalls(vocabulary, columns)
  const declared = Object.entries(scopes).map(
    ([name, { filter, default: isDefault = false, description }]) => ({
      name,
      filter,
      default: isDefault,
      description,
    }),
  )
  const taken = declared.some((scope) => scope.default)
  const generated = features?.softDelete === true && columns.has('deletedAt') ? SOFT_DELETE_SCOPES : []
  const kept = generated.map((scope) => ({ ...scope, default: scope.default && !taken }))
  const built = [...kept, ...declared].flatMap((scope): readonly Scope[] => {
    const at = [...path, 'scopes', scope.name, 'filter']
    const read = (filter: string) => parseScope(filter, { columns, choices: vocabulary.choices, added })
    const rows = compiledOrReport(scope.filter, at, { vocabulary, report }, read)
    return rows ? [Object.freeze({ ...scope, rows })] : []
  })
  return new Map(built.map((scope) => [scope.name, scope]))
}
