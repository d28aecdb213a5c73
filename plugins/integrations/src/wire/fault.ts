import { errors } from '@svc/kernel'

/** 422: a value that was mapped cannot be sent. */
export const mappingFault = (field: string, message: string) =>
  errors.VALIDATION_ERROR({
    message: `The request cannot be made: ${message}`,
    errors: [{ field, rule: 'mapping', message }],
  })
