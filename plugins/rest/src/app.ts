import { type Action, type Actions, errors, type Logger, type Pipeline } from '@svc/kernel'
import { Hono } from 'hono'
import { answerInTime, type RunOptions } from './answer-in-time.ts'
import type { RestConfig } from './config.ts'
import { Deadlines } from './deadline.ts'
import { canonicalPath, routesOf } from './routes.ts'
import { type Bindings, type House, Visit } from './visit.ts'

export interface AppOptions {
  readonly config: RestConfig
  readonly actions: Actions
  readonly pipeline: Pipeline
  readonly log: Logger
  readonly house: House
}

/** From requests to responses, whether or not a socket is behind them. Never rejects. */
export type App = (request: Request, bindings?: Bindings) => Promise<Response>

type Router = Hono<{ Bindings: Visit }>

/**
 * Serves every action at its routes. A change of the actions takes effect with the next request, however many
 * changes there were by then; requests under way end on the routes that they began with.
 */
export function createApp(appOptions: AppOptions): App {
  const { actions, config, house, log } = appOptions
  const options = { ...appOptions, deadlines: new Deadlines(config.request_timeout_ms) }
  let stale = true
  let router: Router = createRouter([], options)
  actions.onChange(() => (stale = true))

  const refresh = () => {
    stale = false
    try {
      router = createRouter(actions.list(), options)
    } catch (error) {
      log.error({ err: error }, 'rest.routes_kept')
    }
  }

  return async (request, bindings = {}) => {
    const visit = new Visit(request, bindings, house)
    try {
      if (request.method === 'OPTIONS') return visit.preflight()
      if (stale) refresh()
      return await router.fetch(request, visit)
    } catch (error) {
      return visit.fail(error)
    }
  }
}

function createRouter(actions: readonly Action[], options: AppOptions & RunOptions): Router {
  const router: Router = new Hono({ getPath: ({ url }) => canonicalPath(url) })
  for (const { method, path, action } of routesOf(actions)) {
    router.on(method, path, async ({ env: visit, req }) =>
      visit.answer(await answerInTime(visit, action, req.param(), options)),
    )
  }
  router.notFound(({ env: visit, req }) => {
    options.log.debug({ requestId: visit.requestId, method: req.method, url: req.url }, 'rest.no_route')
    return visit.refuse(errors.NOT_FOUND())
  })
  router.onError((error) => {
    throw error
  })
  // The router compiles its table at the first look-up; a table that it cannot compile is better met here.
  router.router.match('GET', '/')
  return router
}
