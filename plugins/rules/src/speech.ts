import { TRIGGER_VARIABLES } from '@svc/automation/contract'
import type { Resource, Speech } from '@svc/domain/contract'

/** What locale files call the message of a rule. */
export const messageKey = (rule: string): string => `rules.${rule}.message`

/** What a rule may name: the record, `previous`, and `$transition`. */
export const speechOf = (resource: Resource): Speech => ({
  resource,
  moment: 'write',
  variables: TRIGGER_VARIABLES,
})
