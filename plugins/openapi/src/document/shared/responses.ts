import { JSON_TYPE, refer } from '../parts.ts'
import { type FailureRow, FAILURES } from './failures.ts'

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

function responseOf([status, code, description]: FailureRow): object {
  const example = { status: 'error', code: status, error_code: code, error_message: 'What to do about it' }
  return {
    description: `\`${code}\`: ${description}`,
    ...(WAITING.has(status) && { headers: RETRY_AFTER }),
    content: { [JSON_TYPE]: { schema: refer('schemas', 'ErrorEnvelope'), example } },
  }
}
