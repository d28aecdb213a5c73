import { defineErrors } from '@svc/kernel'

/** What personal data is refused for. */
export const privacyErrors = defineErrors({
  CONSENT_REQUIRED: [403, 'The person has not consented to this'],
  RESTRICTED: [403, 'What is done with the data of this person is restricted'],
  LEGAL_HOLD: [409, 'A law asks for this data to be kept'],
})
