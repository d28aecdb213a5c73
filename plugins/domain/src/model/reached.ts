import type { Reach } from '@svc/expression/contract'
import { endOf } from './relation-end.ts'
import type { Resource } from './resource.ts'

/** The resources whose records the computed fields of a resource are worked out from. */
export const reachedFrom = ({ computed }: Resource): readonly Resource[] =>
  computed.flatMap((field) => targetsOf(field.computed.reach))

const targetsOf = (reach: Reach): readonly Resource[] =>
  [...reach.values()].flatMap(({ relation, reach: further }) => [
    ...[endOf(relation).target ?? []].flat(),
    ...targetsOf(further),
  ])

/** Whether computed fields of a resource are worked out from accounts, of which everybody sees another part. */
export const asksForAccounts = ({ computed }: Resource): boolean =>
  computed.some((field) => leadsToAccounts(field.computed.reach))

const leadsToAccounts = (reach: Reach): boolean =>
  [...reach.values()].some(
    ({ relation, reach: further }) => endOf(relation).target === undefined || leadsToAccounts(further),
  )
