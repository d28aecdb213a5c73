import { Reply } from '@svc/kernel'

/** Answers `body` as JSON without the envelope. */
export function direct<T>(body: T, status = 200): Reply<T> {
  return new Reply<T>({ status, content: { type: 'application/json', body: JSON.stringify(body) } })
}
