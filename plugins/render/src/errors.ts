import { defineErrors, errors } from '@svc/kernel'

/** What is refused of documents besides the general codes. */
export const renderErrors = defineErrors({
  RENDER_FAILED: [422, 'The document cannot be made'],
})

/** 422 for a document that is past a limit, or that cannot be made of its data; `why` goes on from "The document". */
export const renderFailed = (why: string) => renderErrors.RENDER_FAILED({ message: `The document ${why}` })

/** 503 while more is waiting than the queue holds; `seconds` is when it is worth trying again. */
export const tooMany = (waiting: number, seconds: number) =>
  errors.UNAVAILABLE({
    message: `${waiting} documents are waiting to be made: try again`,
    headers: { 'Retry-After': String(seconds) },
  })
