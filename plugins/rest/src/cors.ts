import { Hono } from 'hono'
import { cors } from 'hono/cors'

/** Headers by lower-case name. */
export type HeaderSet = Readonly<Record<string, string>>

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
]
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Prefer',
  'X-Request-Id',
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Lets pages of `origins` read answers (the Fetch standard, CORS protocol). `*` and a single origin are said to
 * everybody; of several, the caller's own is said to it alone, so that caches must keep the answers apart. Hono's
 * middleware is asked once for each origin, and what it says is kept: an answer that it touches is made three times.
 */
export async function createCors(origins: readonly string[], always: HeaderSet): Promise<Cors> {
  const everybody = origins.includes('*') ? '*' : origins.length === 1 ? origins[0] : undefined
  const mirror = new Hono()
    .use(
      cors({
        origin:
          everybody === '*' ? '*' : (origin) => everybody ?? origins.find((listed) => listed === origin),
        allowMethods: METHODS,
        allowHeaders: ALLOWED,
        exposeHeaders: EXPOSED,
        maxAge: 600,
      }),
    )
    .all('*', (context) => context.body(null))

  const said = async (method: string, origin: string | undefined): Promise<HeaderSet> => {
    const { headers } = await mirror.request('/', { method, headers: origin === undefined ? {} : { origin } })
    return { ...always, ...Object.fromEntries(headers) }
  }
  const standingFor = async (origin: string | undefined): Promise<Standing> => ({
    answer: await said('GET', origin),
    preflight: await said('OPTIONS', origin),
  })

  const stranger = await standingFor('https://stranger.invalid')
  const quiet = { answer: withoutExposed(stranger.answer), preflight: stranger.preflight }
  const listed = new Map<string, Standing>()
  for (const origin of origins) listed.set(origin, await standingFor(origin))
  return (origin) => (origin === undefined ? quiet : (listed.get(origin) ?? stranger))
}

/** Which headers a page may read is a third of the bytes of all, and means nothing where no page asks. */
function withoutExposed({ 'access-control-expose-headers': _, ...rest }: Record<string, string>): HeaderSet {
  return rest
}
