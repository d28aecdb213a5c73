import { errors } from '@svc/kernel'

const MAX_PARAMETERS = 1000

const NONE: Readonly<Record<string, string>> = Object.freeze(Object.create(null))

/** The parameters of a target's query, the last value of each name. Throws INVALID_QUERY. */
export function parseQuery(target: string): Readonly<Record<string, string>> {
  const start = target.indexOf('?')
  if (start === -1) return NONE
  const end = target.indexOf('#', start)
  const pairs = target.slice(start + 1, end === -1 ? undefined : end).split('&')
  if (pairs.length > MAX_PARAMETERS) {
    throw errors.INVALID_QUERY({
      message: `A query may have ${MAX_PARAMETERS} parameters; this one has more`,
    })
  }
  const query: Record<string, string> = Object.create(null)
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    if (equals === -1) query[decode(pair)] = ''
    else query[decode(pair.slice(0, equals))] = decode(pair.slice(equals + 1))
  }
  return query
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw errors.INVALID_QUERY({
      message: `The query has '${text.slice(0, 100)}', which is not percent-encoded UTF-8`,
    })
  }
}
