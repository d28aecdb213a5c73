import { HeaderSet } from './headers.ts'

/** The standing headers for a request from one origin: of its answer, and of the answer to its preflight. */
export interface Standing {
  readonly answer: HeaderSet
  readonly preflight: HeaderSet
}

/** The standing headers by the request's `Origin`; every set is made once. */
export type Cors = (origin: string | undefined) => Standing

const EXPOSED = [
  'X-Request-Id',
  'ETag',
  'Location',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotency-Replayed',
  'Content-Disposition',
].join(', ')

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': [
    'Authorization',
    'Content-Type',
    'Accept',
    'Accept-Language',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'Prefer',
    'X-Request-Id',
  ].join(', '),
  'access-control-max-age': '600',
}

/**
 * Lets pages of `origins` read answers (the Fetch standard, CORS protocol). `*` and a single origin are said to
 * everybody; of several, the caller's own is said to it alone, so that caches must keep the answers apart. Which
 * headers a page may read is said where a page asks: it is a third of their bytes, and means nothing to anybody else.
 */
export function createCors(origins: readonly string[], always: Readonly<Record<string, string>>): Cors {
  const vary = origins.length > 1 && !origins.includes('*') ? { vary: 'Origin' } : {}
  const standingFor = (allowed: string | undefined): Standing => {
    const own = { ...always, ...vary }
    if (allowed === undefined) return { answer: new HeaderSet(own), preflight: new HeaderSet(own) }
    const named = { ...own, 'access-control-allow-origin': allowed }
    return {
      answer: new HeaderSet({ ...named, 'access-control-expose-headers': EXPOSED }),
      preflight: new HeaderSet({ ...named, ...PREFLIGHT }),
    }
  }

  const everybody = origins.includes('*') ? '*' : origins.length === 1 ? origins[0] : undefined
  if (everybody !== undefined) {
    const standing = standingFor(everybody)
    const quiet = {
      ...standing,
      answer: new HeaderSet({ ...always, 'access-control-allow-origin': everybody }),
    }
    return (origin) => (origin === undefined ? quiet : standing)
  }
  const listed = new Map(origins.map((origin) => [origin, standingFor(origin)]))
  const stranger = standingFor(undefined)
  return (origin) => (origin === undefined ? stranger : (listed.get(origin) ?? stranger))
}
