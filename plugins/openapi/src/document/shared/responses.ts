import { JSON_TYPE, refer } from '../parts.ts'

type Row = readonly [status: number, code: string, description: string]

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
} as const satisfies Readonly<Record<string, Row>>

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

/** The statuses after which the same request may go well later. */
const WAITING: ReadonlySet<number> = new Set([FAILURES.RateLimited[0], FAILURES.Unavailable[0]])

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait, where that is known',
    schema: { type: 'integer', minimum: 1 },
  },
}

/** The headers that answers share, as components. */
export const SHARED_HEADERS = {
  ETag: {
    description: 'The state of the record: send it as `If-Match` or `If-None-Match`',
    schema: { type: 'string' },
  },
}

/** The failures as components, and the answer that there is nothing new. */
export const SHARED_RESPONSES: Readonly<Record<string, unknown>> = {
  NotModified: {
    description: 'The record is as you have it',
    headers: { ETag: refer('headers', 'ETag') },
  },
  ...Object.fromEntries(Object.entries(FAILURES).map(([name, row]) => [name, responseOf(row)])),
}

function responseOf([status, code, description]: Row): object {
  const example = { status: 'error', code: status, error_code: code, error_message: 'What to do about it' }
  return {
    description: `\`${code}\`: ${description}`,
    ...(WAITING.has(status) && { headers: RETRY_AFTER }),
    content: { [JSON_TYPE]: { schema: refer('schemas', 'ErrorEnvelope'), example } },
  }
}
