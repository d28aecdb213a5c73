import { defineErrors } from '@svc/kernel'

/** What is refused of media besides the general codes. */
export const mediaErrors = defineErrors({
  MISSING_FIELDS: [400, 'Something that has to be said with the file is missing'],
  MEDIA_REFERENCED: [409, 'Records refer to this item'],
  BULK_LIMIT_EXCEEDED: [422, 'Too many ids in one request'],
})
