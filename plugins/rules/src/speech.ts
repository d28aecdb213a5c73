import { TRIGGER_VARIABLES } from '@svc/automation/contract'
import type { Resource, Speech } from '@svc/domain/contract'

/** What a rule may name: the record, `previous`, and `$transition`. */
export const speechOf = (resource: Resource): Speech => ({
  resource,
  moment: 'write',
  variables: TRIGGER_VARIABLES,
})
