import type { Path } from '../definition/problem.ts'
import type { Definition } from '../definition/schema/definition.ts'
import {
  OPERATIONS,
  type CustomOperationDefinition,
  type ResourceApiDefinition,
} from '../definition/schema/resource.ts'
import type { ResourceDraft } from './draft.ts'
import { buildAssignments } from './assignment.ts'
import { pluralSegment } from './names.ts'
import { buildPermission, type PermissionSurroundings } from './permission.ts'
import type { Report } from './report.ts'
import type { CustomOperation, OperationName, ResourceApi } from './resource.ts'

export interface ApiSurroundings {
  readonly prefixes: readonly string[]
  readonly drafts: ReadonlyMap<string, ResourceDraft>
  readonly report: Report
}

/** What custom operations speak of. */
interface OperationSurroundings extends PermissionSurroundings {
  /** The resource. */
  readonly name: string
}

/** The path prefixes of a domain: its own or `/api/v1/<name>`, then its aliases. */
export function prefixesOf({ name, api }: Definition): readonly string[] {
  const own = api?.prefix ?? `/api/v1/${name.toLowerCase()}`
  return [...new Set([own, ...(api?.aliases ?? [])].map(trimmedPath))]
}

/** The last segment of a resource's collection. */
export const segmentOf = ({ name, definition }: ResourceDraft): string =>
  definition.api?.collection?.replace(/^\/+|\/+$/g, '') ?? pluralSegment(name)

/** Where a resource answers, and which operations it offers. */
export function buildApi(draft: ResourceDraft, around: ApiSurroundings & OperationSurroundings): ResourceApi {
  const api = draft.definition.api ?? {}
  const under = underOf(draft, api, around)
  const prefixes = api.prefix === undefined ? around.prefixes : [trimmedPath(api.prefix)]
  const path = trimmedPath(api.path ?? under?.path ?? segmentOf(draft))
  const starts = [...prefixes, ...(api.aliases ?? []).map(trimmedPath)]
  const below = (end: string) => [...new Set(starts.map((start) => `${start}${end}`))]
  return Object.freeze({
    segment: api.path === undefined || under ? segmentOf(draft) : path.slice(path.lastIndexOf('/') + 1),
    paths: below(path),
    directPaths: under ? below(`/${segmentOf(draft)}`) : [],
    disabled: disabledOf(api),
    customOperations: customOperationsOf(api, [...draft.path, 'api'], around),
    under: under && { parent: under.parent, foreignKey: under.foreignKey, parameter: under.foreignKey },
    directAccess: new Set(api.directAccess ?? []),
  })
}

/** A path with a leading slash and without one at its end; the root is ''. */
const trimmedPath = (path: string): string => path.replace(/^\/*/, '/').replace(/\/+$/, '')

function underOf(
  draft: ResourceDraft,
  { under }: ResourceApiDefinition,
  { drafts, report }: ApiSurroundings,
) {
  if (under === undefined) return undefined
  const parent = drafts.get(under)
  const link = [...draft.relationships.values()].find(
    (one) => one.kind === 'belongsTo' && one.target.kind === 'resource' && one.target.name === under,
  )
  if (parent === undefined || link?.kind !== 'belongsTo') {
    report.problem(
      [...draft.path, 'api', 'under'],
      `'${draft.name}' has no belongsTo to '${under}'`,
      'Declare the relationship',
    )
    return undefined
  }
  const { foreignKey } = link
  return { parent: under, foreignKey, path: `/${segmentOf(parent)}/:${foreignKey}/${segmentOf(draft)}` }
}

/** `disable_update` covers PATCH and PUT; the list form names each operation for itself. */
function disabledOf(api: ResourceApiDefinition): ReadonlySet<OperationName> {
  const flags: readonly (readonly [boolean | undefined, readonly OperationName[]])[] = [
    [api.disable_list, ['list']],
    [api.disable_get, ['get']],
    [api.disable_create, ['create']],
    [api.disable_update, ['update', 'put']],
    [api.disable_delete, ['delete']],
  ]
  const flagged = flags.flatMap(([on, operations]) => (on ? operations : []))
  return new Set([...flagged, ...(api.disable ?? [])])
}

/** Every operation that a resource offers unless it is disabled. */
export const offered = (api: ResourceApi): readonly OperationName[] =>
  OPERATIONS.filter((name) => !api.disabled.has(name))

function customOperationsOf(
  { customOperations = [], custom = {} }: ResourceApiDefinition,
  path: Path,
  around: OperationSurroundings,
): readonly CustomOperation[] {
  const listed = customOperations.map((operation, at) =>
    buildCustomOperation(operation, [...path, 'customOperations', at], around),
  )
  const named = Object.entries(custom).map(([name, operation]) =>
    buildCustomOperation({ ...operation, name }, [...path, 'custom', name], around),
  )
  return [...listed, ...named]
}

function buildCustomOperation(
  {
    name,
    method = 'POST',
    path,
    permissions = ['admin'],
    fields,
    label,
    description,
  }: CustomOperationDefinition,
  at: Path,
  around: OperationSurroundings,
): CustomOperation {
  return Object.freeze({
    name,
    label,
    description,
    method,
    path: trimmedPath(path ?? `/:id/${name}`),
    permission: buildPermission(permissions, [...at, 'permissions'], around),
    fields: buildAssignments(fields, [...at, 'fields'], around),
    definedAt: at,
  })
}
