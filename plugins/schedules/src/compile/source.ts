import type { Path, Resource, Site } from '@svc/domain/contract'
import type { Expression } from '@svc/expression/contract'
import { nearest } from '@svc/kernel'
import type { ScheduleDefinition } from '../definition/schedule.ts'
import type { ScheduleSource } from '../schedule.ts'
import { speechOf } from './speech.ts'

/** Compiles which records a schedule is about; undefined where it is about none, or something is wrong, which is reported. */
export function compileSource(
  { source }: ScheduleDefinition,
  path: Path,
  site: Site,
): ScheduleSource | undefined {
  if (source === undefined) return undefined
  const resource = site.model.resources.get(source.resource)
  const { column: key } = resource?.key ?? {}
  if (resource === undefined || key === undefined) {
    const meant = nearest(source.resource, site.model.resources.keys())
    site.problem(
      [...path, 'source', 'resource'],
      `there is no resource '${source.resource}'`,
      meant === undefined ? undefined : `Did you mean '${meant}'?`,
    )
    return undefined
  }
  if (source.filter === undefined) return { resource, key, filter: undefined, watched: new Set() }
  const { variables } = speechOf(undefined, false)
  const filter = site.rows(source.filter, [...path, 'source', 'filter'], {
    resource,
    moment: 'read',
    ...(variables && { variables }),
  })
  return { resource, key, filter, watched: filter && watchedBy(filter, resource) }
}

type Node = Expression['ast']

/**
 * The fields by which alone a filter changes its mind: none are told where it asks functions, variables or related records,
 * any of which may change while the record stays.
 */
function watchedBy({ ast, reach, fields }: Expression, resource: Resource): ReadonlySet<string> | undefined {
  const own = [...fields].every((name) => resource.fields.get(name)?.computed === undefined)
  return own && reach.size === 0 && isStill(ast) ? fields : undefined
}

function isStill(node: Node): boolean {
  switch (node.kind) {
    case 'literal':
      return true
    case 'name':
      return node.name !== 'user' && node.name !== 'op'
    case 'list':
      return node.items.every(isStill)
    case 'member':
      return isStill(node.of)
    case 'unary':
      return isStill(node.of)
    case 'binary':
      return isStill(node.left) && isStill(node.right)
    case 'conditional':
      return isStill(node.test) && isStill(node.consequent) && isStill(node.alternate)
    default:
      return false
  }
}
