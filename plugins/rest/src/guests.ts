import { validateHeaderValue } from 'node:http'
import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Result, Router } from 'hono/router'
import type { Env, H, RouterRoute, Schema } from 'hono/types'
import { tooLarge } from './body.ts'
import type { HttpEnv } from './contract.ts'
import { watched } from './outbound.ts'
import type { Visit } from './visit.ts'

type Route = [H, RouterRoute]

/**
 * What an app has by now, in a Hono of the server's own. A plugin from elsewhere brings a copy of Hono, whose handler of errors
 * stands where nobody gave another: the server's own would take it for one that was given, and not hear of errors.
 */
export function guestOf<E extends Env, S extends Schema, B extends string>(
  app: Hono<E, S, B>,
): Hono<HttpEnv> {
  const guest = new Hono<HttpEnv>()
  if (handlerOf(app) === handlerOf(untouched(app))) guest.routes = [...app.routes]
  else guest.route('/', app)
  return guest
}

/** An app of the copy of Hono that another is of, however that was extended, as nobody has touched it. */
function untouched(app: object): object {
  let prototype: object = Object.getPrototypeOf(app)
  for (let above = prototype; above !== Object.prototype; above = Object.getPrototypeOf(above))
    prototype = above
  return Reflect.construct(prototype.constructor, [])
}

/** Hono's own for errors, which its types keep to themselves. */
const handlerOf = (app: object): unknown => Reflect.get(app, 'errorHandler')

/**
 * A router that puts what plugins hung on the server before the one route of an action that `tree` finds; `tree` takes
 * what is added. A request that meets nothing of a plugin's is left as it is.
 */
export function behindGuests(
  apps: Iterable<Hono<HttpEnv>>,
  tree: Router<Route>,
  bodyLimitBytes: number,
): Router<Route> {
  const guests = new Hono<HttpEnv>()
  for (const app of apps) guests.route('/', app)
  if (guests.routes.length === 0) return tree
  const dressing = asRoute(dress)
  const limit = asRoute(limitBody(bodyLimitBytes))
  return {
    name: 'behindGuests',
    add: (method, path, route) => tree.add(method, path, route),
    match(method, path) {
      const action = tree.match(method, path)
      const met = named(guests.router.match(method, path))
      if (met.length === 0) return action
      // An action reads its body by its own limit, when its turn comes.
      const before = action[0].length === 0 ? [dressing, limit] : [dressing]
      return [[...before, ...met, ...named(action)]]
    },
  }
}

/** A match with the values of its parameters, whichever form its router gave it. */
function named([matched, values = []]: Result<Route>): [Route, Record<string, string>][] {
  return matched.map(([route, params]) => {
    const pairs = Object.entries<string | number>(params).map(([name, value]) => [
      name,
      typeof value === 'number' ? (values[value] ?? '') : value,
    ])
    return [route, Object.fromEntries(pairs)]
  })
}

const asRoute = (handler: H): [Route, Record<string, string>] => [
  [handler, { basePath: '/', path: '*', method: 'ALL', handler }],
  {},
]

/** Looks after answers that plugins made, or made anew of what an action answered. */
const dress: MiddlewareHandler<{ Bindings: Visit }> = async (context, next) => {
  const { env: visit } = context
  visit.expectBody()
  await next()
  visit.countUnsent()
  const { res } = context
  if (visit.outgoing?.headersSent || visit.isAnswer(res)) return
  // Without this, Hono would put the old headers over the new.
  context.res = undefined
  context.res = dressed(res, visit)
}

/**
 * The response with what every answer has; its own headers of these names count, but for the request's. Throws on headers
 * that HTTP has no room for.
 */
function dressed(response: Response, visit: Visit): Response {
  const { requestId, standing } = visit
  const made = new Response(response.body && watched(response.body, undefined, visit), response)
  const { headers } = made
  for (const [name, value] of headers) validateHeaderValue(name, value)
  // Nobody would write the fields that it announces.
  headers.delete('trailer')
  if (headers.get('x-request-id') === requestId) return made
  for (const name in standing) {
    if (name === 'vary') headers.append(name, standing[name]!)
    else if (!headers.has(name)) headers.set(name, standing[name]!)
  }
  headers.set('x-request-id', requestId)
  return made
}

const limitBody = (maxSize: number): MiddlewareHandler<{ Bindings: Visit }> =>
  bodyLimit({
    maxSize,
    onError: ({ env }) => {
      env.linger()
      throw tooLarge(maxSize)
    },
  })
