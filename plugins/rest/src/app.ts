import { type Actions, errors, type Logger, type Pipeline } from '@svc/kernel'
import type { RestConfig } from './config.ts'
import { Deadlines } from './deadline.ts'
import { HttpInbound } from './inbound.ts'
import type { Message, Send } from './message.ts'
import { canonicalPath, Router } from './router.ts'
import { type House, Visit } from './visit.ts'

export interface AppOptions {
  readonly config: RestConfig
  readonly actions: Actions
  readonly pipeline: Pipeline
  readonly log: Logger
  readonly house: House
}

/** Answers a request, whether or not a socket is behind it. Never rejects. */
export type App = (message: Message, send: Send) => Promise<void>

/**
 * Serves every action at its routes. A change of the actions takes effect with the next request, however many
 * changes there were by then; requests under way end on the routes that they began with.
 */
export function createApp({ actions, config, house, log, pipeline }: AppOptions): App {
  const reading = { config, deadlines: new Deadlines(config.request_timeout_ms) }
  let router: Router | undefined
  actions.onChange(() => (router = undefined))

  return async (message, send) => {
    const visit = new Visit(message, send, house)
    try {
      const { method, target } = message
      if (method === 'OPTIONS') return visit.preflight()
      router ??= new Router(actions.list())
      const match = router.match(method === 'HEAD' ? 'GET' : method, canonicalPath(target))
      if (match === undefined) {
        log.debug({ requestId: visit.requestId, method, target }, 'rest.no_route')
        return visit.refuse(errors.NOT_FOUND())
      }
      const inbound = new HttpInbound(visit, match.params, reading)
      inbound.answer(await pipeline.run(match.action, inbound))
    } catch (error) {
      visit.refuse(error)
    }
  }
}
