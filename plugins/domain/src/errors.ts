import { defineErrors } from '@svc/kernel'

/** What the engine refuses besides the general codes. */
export const domainErrors = defineErrors({
  PARSE_ERROR: [422, 'The definition cannot be used'],
  DESTRUCTIVE_MIGRATION: [422, 'The change would lose data: send allow_destructive: true to accept that'],
  DUPLICATE: [409, 'A record with this value exists already'],
  REFERENCED: [409, 'Other records refer to this one'],
  BULK_LIMIT_EXCEEDED: [422, 'Too many items in one request'],
  GUARD_FAILED: [403, 'The guard of the transition does not let you pass'],
  TRANSITION_DENIED: [422, 'The record has no such transition in its present state'],
  REQUIRED_FIELD: [422, 'The transition needs more fields'],
  HOOK_FAILED: [422, 'A hook stopped the change'],
  IDEMPOTENCY_MISMATCH: [422, "This 'Idempotency-Key' belongs to a request with another body: use a new one"],
  FIELD_FORBIDDEN: [403, 'You may not write a field that is required'],
})
