import { defineErrors } from '@svc/kernel'

/** What is refused of integrations besides the general codes. */
export const integrationErrors = defineErrors({
  ADDRESS_REFUSED: [422, 'This server sends nothing to that address'],
  UPSTREAM_FAILED: [502, 'The other side did not do what was asked of it'],
  UPSTREAM_TIMEOUT: [504, 'The other side took too long'],
  SIGNATURE_INVALID: [401, 'The message does not show whom it comes from'],
  CIRCUIT_OPEN: [503, 'Nothing is sent to the other side for now: it has failed too often'],
})
