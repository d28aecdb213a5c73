import type { Reach } from '@svc/expression/contract'
import { isExpression, type Permission } from './permission.ts'
import { endOf } from './relation-end.ts'
import type { Resource } from './resource.ts'
import { siblingsOf } from './siblings.ts'

/**
 * The resources with those whose records decide what is seen of theirs: computed fields are worked out from these, or
 * permissions to read ask about them, at any distance.
 */
export function withReached(resources: Iterable<Resource>): ReadonlySet<Resource> {
  const found = new Set(resources)
  // A set that grows goes on over what is added to it.
  for (const resource of found) for (const next of reachedFrom(resource)) found.add(next)
  return found
}

const reachedFrom = (resource: Resource): readonly Resource[] =>
  [
    ...resource.computed.map((field) => field.computed.reach),
    ...readingPermissions(resource)
      .filter(isExpression)
      .map(({ reach }) => reach),
  ]
    .flatMap(targetsOf)
    .concat(lookedInto(resource))

/** The resources into which formulas look, and those of records may look: readers of fewer rights get them worked out anew. */
function lookedInto(resource: Resource): readonly Resource[] {
  if (resource.others === undefined) return []
  const siblings = siblingsOf(resource)
  if (resource.overrides.length > 0) return [...siblings.values()]
  return resource.computed.flatMap(({ computed }) =>
    computed.crossings.flatMap((one) => siblings.get(one.resource) ?? []),
  )
}

/** The permissions that decide which records a caller sees. */
export const readingPermissions = ({ permissions }: Resource): readonly Permission[] => [
  permissions.list,
  permissions.get,
  ...[permissions.conditional['list'], permissions.conditional['get']].flatMap((one) =>
    Object.values(one ?? {}),
  ),
]

const targetsOf = (reach: Reach): readonly Resource[] =>
  [...reach.values()].flatMap(({ relation, reach: further }) => [
    ...[endOf(relation).target ?? []].flat(),
    ...targetsOf(further),
  ])

/** Whether computed fields of a resource are worked out from accounts, of which everybody sees another part. */
export const asksForAccounts = ({ computed }: Resource): boolean =>
  computed.some((field) => leadsToAccounts(field.computed.reach))

const leadsToAccounts = (reach: Reach): boolean =>
  [...reach.values()].some(({ relation, reach: further }) => {
    const { target, way } = endOf(relation)
    return (target === undefined && way === undefined) || leadsToAccounts(further)
  })
