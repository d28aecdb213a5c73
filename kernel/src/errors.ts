import { brand } from './brand.ts'

/** One fault of one field of an input. `rule` is the name of the check that failed. */
export interface FieldError {
  readonly field: string
  readonly label?: string
  readonly message: string
  readonly rule: string
  /** What the message is made of, for those who say it in other words; it is in no answer. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** What a thrown error may add to its row of the table. */
export interface Detail {
  readonly message?: string
  /** What the author of a definition or a plugin is told besides, in development alone: production never says it. */
  readonly explanation?: string
  readonly errors?: readonly object[]
  readonly data?: unknown
  /** Facts about the answer, sent as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** What `Error` is made of, without its constructor: that looks where it is called from, which takes most of the time of a refusal. */
const Unplaced = function () {} as unknown as ErrorConstructor
Object.assign(Unplaced, { prototype: Error.prototype })

/** An error that the caller may see: a documented code, a status and a message that says what to do. */
export class AppError extends Unplaced {
  static {
    brand(this, 'AppError')
  }

  override readonly name = 'AppError'
  override readonly message: string
  readonly code: string
  readonly status: number
  readonly detail: Detail

  constructor(code: string, status: number, message: string, detail: Detail = {}) {
    super()
    this.message = message
    this.code = code
    this.status = status
    this.detail = detail
    if (detail.cause !== undefined) this.cause = detail.cause
    // Where the caller is at fault, nobody reads where it was thrown.
    if (status >= 500) Error.captureStackTrace(this, AppError)
  }
}

/** What was answered; throws it where it is a refusal (`Handled`), for whoever waits for nothing else. */
export function unlessRefused<T>(answered: T): Exclude<T, AppError> {
  if (answered instanceof AppError) throw answered
  return answered as Exclude<T, AppError>
}

type Rows = Record<Uppercase<string>, readonly [status: number, message: string]>

/** Throwable constructors for a table of errors: `errors.NOT_FOUND({ message: 'No order 7' })`. */
export type ErrorTable<T extends Rows> = { readonly [Code in keyof T]: (detail?: Detail) => AppError }

/** Turns rows `CODE: [status, default message]` into constructors of the same names. */
export function defineErrors<const T extends Rows>(rows: T): ErrorTable<T> {
  const entries = Object.entries(rows).map(([code, [status, message]]) => [
    code,
    (detail?: Detail) => new AppError(code, status, detail?.message ?? message, detail),
  ])
  return Object.fromEntries(entries) as ErrorTable<T>
}

/** The codes that belong to no plugin in particular. */
export const errors = defineErrors({
  BAD_REQUEST: [400, 'The request cannot be read'],
  INVALID_QUERY: [400, 'A query parameter has a value that cannot be read'],
  UNAUTHORIZED: [401, 'Sign in first: this needs a bearer token'],
  FORBIDDEN: [403, 'You may not do this'],
  NOT_FOUND: [404, 'Nothing is found at this address'],
  CONFLICT: [409, 'This clashes with the present state'],
  PRECONDITION_FAILED: [412, 'The record has changed since you read it: read it again'],
  PAYLOAD_TOO_LARGE: [413, 'The body is larger than this server takes'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as application/json'],
  RANGE_NOT_SATISFIABLE: [416, 'The range begins behind the end'],
  VALIDATION_ERROR: [422, 'The input is not valid'],
  RATE_LIMITED: [429, 'Too many requests: wait and try again'],
  INTERNAL_ERROR: [500, 'Something went wrong inside the server'],
  RESPONSE_VALIDATION_FAILED: [500, 'The answer does not match its declared schema'],
  UNAVAILABLE: [503, 'A part of the server is out of reach: try again'],
})
