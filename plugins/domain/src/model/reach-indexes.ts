import type { Reach } from '@svc/expression/contract'
import type { Resource } from './resource.ts'
import { isExpression } from './permission.ts'
import { indexedBy } from './table.ts'

/** An index that the service makes since expressions go from a record to its list by that field. */
export interface ReachIndex {
  /** The resource of the list, and its field with the key of the record. */
  readonly resource: string
  readonly field: string
  /** The relationship that is gone: `Visit.lines`. */
  readonly for: string
}

type Resources = ReadonlyMap<string, Resource>

/** The indexes that expressions of these resources call for and that are not there. */
export function reachIndexes(resources: Resources): readonly ReachIndex[] {
  const found = new Map<string, ReachIndex>()
  for (const resource of resources.values())
    for (const reach of reachesOf(resource)) collect(reach, resource, { resources, found })
  return [...found.values()]
}

interface Collecting {
  readonly resources: Resources
  readonly found: Map<string, ReachIndex>
}

function collect(reach: Reach, from: Resource, around: Collecting): void {
  for (const [name, { reach: further }] of reach) {
    const one = from.relationships.get(name)
    const target = one?.target.kind === 'resource' ? around.resources.get(one.target.name) : undefined
    if (one === undefined || target === undefined) continue
    const column = one.kind === 'hasMany' ? target.fields.get(one.foreignKey)?.column : undefined
    if (column && !indexedBy(column, target.table)) {
      const made = { resource: target.name, field: column.name, for: `${from.name}.${name}` }
      around.found.set(`${made.resource}.${made.field}`, made)
    }
    collect(further, target, around)
  }
}

/** Where all expressions of a resource go. */
function reachesOf({ permissions, api, validation, stateMachine, computed }: Resource): readonly Reach[] {
  const { fields: _, conditional, transitions, ...operations } = permissions
  const rules = [
    ...Object.values(operations),
    ...Object.values(conditional).flatMap((byState) => Object.values(byState)),
    ...Object.values(transitions),
    ...api.customOperations.map(({ permission }) => permission),
  ]
  return [
    ...rules.filter(isExpression).map(({ reach }) => reach),
    ...validation.flatMap(({ expression }) => [expression.reach, expression.previousReach]),
    ...(stateMachine ? [stateMachine.guardReach] : []),
    ...computed.map((field) => field.computed.reach),
  ]
}
