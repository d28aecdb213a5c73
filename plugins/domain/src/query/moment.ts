import { readInstant } from '@svc/expression/contract'
import { errors } from '@svc/kernel'

/** The moment that a query parameter names, as it is stored: a date-time, or a day as its beginning in UTC. Throws INVALID_QUERY. */
export function momentIn(name: string, given: string): string {
  // A plus stands for a space in a query where nobody has escaped it.
  const read = readInstant(given) ?? readInstant(given.replace(' ', '+'))
  if (read !== undefined) return new Date(read.at).toISOString()
  throw errors.INVALID_QUERY({
    message: `'${name}' must be a date and time, such as 2026-03-01T12:00:00Z, not '${given.slice(0, 50)}'`,
  })
}
