import { defineErrors, errors } from '@svc/kernel'

/** What is refused of files besides the general codes. */
export const filesErrors = defineErrors({
  MISSING_FIELDS: [400, 'Something that has to be said with the file is missing'],
  TOKEN_INVALID: [401, 'The signature of this address is not valid'],
  TOKEN_EXPIRED: [401, 'The time of this address is over: ask for another'],
  USER_SUSPENDED: [403, 'The account that signed this address is suspended'],
})

/** 422 with one fault of the file. */
export const fileFault = (rule: string, message: string) =>
  errors.VALIDATION_ERROR({ message: `The file ${message}`, errors: [{ field: 'file', rule, message }] })
