import {
  type Action,
  type Actions,
  type Bus,
  errors,
  type Logger,
  type Pipeline,
  type Route,
  routeShape,
} from '@svc/kernel'
import { Hono } from 'hono'
import type { RestConfig } from './config.ts'
import type { HttpEnv, HttpServer } from './contract.ts'
import { Deadlines } from './deadline.ts'
import { behindGuests, guestOf } from './guests.ts'
import { assertHost } from './host.ts'
import { HttpInbound, type VisitContext } from './inbound.ts'
import { nearby } from './nearby.ts'
import { canonicalPath, RouteTree } from './router.ts'
import { type SharedParts, type Socketed, Visit } from './visit.ts'

export interface AppOptions {
  readonly config: RestConfig
  readonly actions: Actions
  readonly pipeline: Pipeline
  readonly bus: Bus
  readonly log: Logger
  readonly shared: SharedParts
  /** Whether who asks for an address that is not there is told of those near it. */
  readonly tellsNearby: boolean
}

/** The application behind the server: a Hono that is made anew when the actions, or what plugins hung on it, change. */
export interface App {
  /** Answers a request, whether or not a socket is behind it. Never rejects. */
  fetch(request: Request, socket?: Socketed): Response | Promise<Response>
  /** Answers a request whose address cannot be read. */
  unreadable(socket: Socketed): Response
  /** Hangs what `guest` has on the application; the returned function takes it off. */
  use: HttpServer['use']
}

/**
 * Serves every action at its routes. A change takes effect with the next request, however many changes there were by
 * then; requests under way end on the routes that they began with.
 */
export function createApp(options: AppOptions): App {
  const { actions, bus, shared, log } = options
  const answer = answerer(options)
  const guests = new Set<{ readonly app: Hono<HttpEnv> }>()
  let current: Hono<{ Bindings: Visit }> | undefined
  actions.onChange(() => (current = undefined))

  const warned = new Set<string>()
  /** Names the actions that nobody reaches any more. Middleware, which takes every method, is meant to pass on. */
  const warnOfTaken = (apps: readonly Hono<HttpEnv>[]) => {
    const own = apps.flatMap(({ routes }) =>
      routes.map(({ method, path }) => routeShape(`${method} ${path}`)),
    )
    for (const [action, route] of own.length === 0 ? [] : routesOf(actions.list())) {
      if (!own.includes(routeShape(route)) || warned.has(route)) continue
      warned.add(route)
      log.warn({ route, action: action.name }, 'rest.route_taken')
    }
  }

  const nothingAt = (path: string) => {
    const near = options.tellsNearby
      ? nearby(
          path,
          routesOf(actions.list()).map(([, route]) => route),
        )
      : undefined
    return errors.NOT_FOUND(
      near === undefined ? {} : { message: `Nothing is found at this address: ${near}` },
    )
  }

  const build = () => {
    const apps = [...guests].map(({ app }) => app)
    const router = behindGuests(apps, new RouteTree(), options.config.body_limit_bytes)
    const hono = new Hono<{ Bindings: Visit }>({ getPath: ({ url }) => canonicalPath(url), router })
    for (const [action, route] of routesOf(actions.list())) {
      const space = route.indexOf(' ')
      hono.on(route.slice(0, space), route.slice(space + 1), (context) => answer(action, context))
    }
    warnOfTaken(apps)
    hono.notFound(({ env: visit }) => visit.refuse(nothingAt(visit.path)))
    return hono.onError((error, { env: visit }) =>
      'getResponse' in error ? error.getResponse() : visit.refuse(error),
    )
  }

  /** What an action answers never fails; what a plugin does may, and is waited for. */
  const respond = (visit: Visit): Response | Promise<Response> => {
    const { incoming, request } = visit
    try {
      if (incoming !== undefined) {
        assertHost(incoming)
        if (isDotted(visit)) throw errors.NOT_FOUND()
      }
      visit.assertRoom()
      if (visit.method === 'OPTIONS') return visit.preflight()
      const response = (current ??= build()).fetch(request, visit)
      if (guests.size === 0 || !(response instanceof Promise)) return response
      return response.catch((error) => visit.refuse(error))
    } catch (error) {
      return visit.refuse(error)
    }
  }

  const reported = (visit: Visit, response: Response): Response => {
    bus.emit('http.answered', visit.answered(response))
    return response
  }

  return {
    fetch(request, socket = {}) {
      const visit = new Visit(request, socket, shared)
      const response = respond(visit)
      if (!bus.hears('http.answered')) return response
      return response instanceof Promise
        ? response.then((sent) => reported(visit, sent))
        : reported(visit, response)
    },
    unreadable(socket) {
      const visit = new Visit(new Request('http://localhost/'), socket, shared)
      return reported(visit, visit.refuse(isSlanted(visit) ? errors.NOT_FOUND() : malformed()))
    },
    use(app) {
      const guest = { app: guestOf(app) }
      guests.add(guest)
      current = undefined
      return () => {
        guests.delete(guest)
        current = undefined
      }
    },
  }
}

const routesOf = (actions: readonly Action[]): [Action, Route][] =>
  actions.flatMap((action) => (action.routes ?? []).map((route): [Action, Route] => [action, route]))

/** Segments that mean another path, which a client takes out before it asks (RFC 3986, section 5.2.4): no route has them. */
const DOTS = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i
const isDotted = (visit: Visit): boolean => DOTS.test(visit.incoming?.url ?? '') && DOTS.test(visit.path)

/** A backslash in a path is none of the slashes that routes have, though some would read it as one. */
const isSlanted = ({ path }: Visit): boolean => path.includes('\\')

const malformed = () => errors.BAD_REQUEST({ message: 'The address or the Host header is malformed' })

/** Takes a request through the pipeline to its action; the answer is 503 once that took too long. */
function answerer({ config, pipeline }: AppOptions) {
  const reading = {
    config,
    deadlines: new Deadlines(config.request_timeout_ms),
    bodyDeadlines: new Deadlines(config.body_timeout_ms),
  }
  return (action: Action, context: VisitContext): Response | Promise<Response> => {
    const inbound = new HttpInbound(context, reading)
    const answer = pipeline.run(action, inbound)
    return answer instanceof Promise ? inbound.await(answer) : inbound.answer(answer)
  }
}
