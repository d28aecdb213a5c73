export type FailureRow = readonly [status: number, code: string, description: string]

/** The answers to requests that did not go well: status, the usual code, and what brings them about. */
export const FAILURES = {
  BadRequest: [400, 'BAD_REQUEST', 'The request cannot be read; `INVALID_QUERY` for a query parameter'],
  Unauthorized: [
    401,
    'UNAUTHORIZED',
    'No token; `TOKEN_INVALID` for a bad one, `TOKEN_EXPIRED` for an old one',
  ],
  Forbidden: [
    403,
    'FORBIDDEN',
    'You may not do this; also `FIELD_FORBIDDEN`, `GUARD_FAILED`, `USER_SUSPENDED`',
  ],
  NotFound: [404, 'NOT_FOUND', 'Nothing is there'],
  Conflict: [409, 'CONFLICT', 'It clashes with what is there; also `DUPLICATE`, `REFERENCED` and the like'],
  PreconditionFailed: [412, 'PRECONDITION_FAILED', 'The record has changed since you read it'],
  PayloadTooLarge: [413, 'PAYLOAD_TOO_LARGE', 'The body is too large'],
  UnsupportedMediaType: [415, 'UNSUPPORTED_MEDIA_TYPE', 'The body has another media type'],
  RangeNotSatisfiable: [416, 'RANGE_NOT_SATISFIABLE', 'The range begins behind the end'],
  ValidationError: [
    422,
    'VALIDATION_ERROR',
    'The input breaks a rule: `errors` has every fault; or a code of its own',
  ],
  RateLimited: [429, 'RATE_LIMITED', 'Too many requests'],
  InternalError: [
    500,
    'INTERNAL_ERROR',
    'Something went wrong inside; the log has it under the id of the request',
  ],
  Unavailable: [503, 'UNAVAILABLE', 'A part of the server is out of reach'],
} as const satisfies Readonly<Record<string, FailureRow>>

/** What may come in place of the answer that is hoped for. */
export type Failure = keyof typeof FAILURES | 'NotModified'

/** What stands for a status; undefined where nothing does. */
export function failureOf(status: number): keyof typeof FAILURES | undefined {
  for (const name in FAILURES) if (isFailure(name) && FAILURES[name][0] === status) return name
  return undefined
}

const isFailure = (name: string): name is keyof typeof FAILURES => Object.hasOwn(FAILURES, name)

export const statusOf = (name: Failure): number => (name === 'NotModified' ? 304 : FAILURES[name][0])

/** What can happen to every request. */
export const ALWAYS = ['RateLimited', 'InternalError', 'Unavailable'] as const satisfies readonly Failure[]
