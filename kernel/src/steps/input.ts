import { errors } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { isStrict } from '../list-query.ts'
import { takesQuery } from '../takes-query.ts'

/**
 * The input of an action that does not bind it itself: of one that only reads, or whose body is no value, the query and
 * the path; of any other, the body and the path, since what a body holds must not be taken from an address, which logs and links keep.
 */
export function inputOf(exchange: Exchange): unknown {
  const { action, request, body } = exchange
  if (action.bind !== undefined) return action.bind(request, body)
  if (takesQuery(action)) return { ...request.query, ...request.params }
  ignoreQuery(exchange)
  if (body === undefined) return { ...request.params }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  for (const name in request.params) if (Object.hasOwn(body, name)) throw saidTwice(name)
  return { ...body, ...request.params }
}

/** A key of the body that the path has already is unknown. */
const saidTwice = (field: string) =>
  errors.VALIDATION_ERROR({
    errors: [{ field, rule: 'unknown', message: `'${field}' is not known here`, params: { name: field } }],
  })

/** Says which query parameters have no effect; a caller who prefers strict handling is refused instead. */
function ignoreQuery({ request, warnings }: Exchange): void {
  for (const name in request.query) {
    const message = `The query parameter '${name.slice(0, 100)}' is ignored: the input is read from the body`
    if (isStrict(request.meta('prefer'))) throw errors.INVALID_QUERY({ message })
    warnings.add({ rule: 'ignored', message, severity: 'info', regulation: null })
  }
}
