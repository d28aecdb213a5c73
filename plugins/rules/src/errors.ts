import { defineErrors } from '@svc/kernel'

/** What rules refuse. */
export const ruleErrors = defineErrors({
  RULE_VIOLATION: [422, 'A rule of the domain does not allow this'],
})
