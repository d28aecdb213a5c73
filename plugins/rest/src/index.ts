import { definePlugin } from '@svc/kernel'
import { createApp } from './app.ts'
import { createClientAddress } from './client-address.ts'
import { RestConfig } from './config.ts'
import { HttpServerCapability } from './contract.ts'
import { createConcealed } from './concealed.ts'
import { createCors } from './cors.ts'
import { securityHeaders } from './security.ts'
import { checkServer, closingMs, type Listening, openServer } from './server.ts'
import { UnsentAnswers } from './unsent.ts'

/** The HTTP transport: every action at its routes. */
export const rest = definePlugin({
  name: 'rest',
  phase: 'transport',
  config: RestConfig,
  provides: HttpServerCapability,
  check: ({ config }) => checkServer(config),
  async setup({ config, actions, pipeline, bus, log, host, listens, onOpen }) {
    const concealed = createConcealed()
    const shared = {
      toldPath: concealed.told,
      log,
      cors: await createCors([config.cors.origins].flat(), securityHeaders(config)),
      clientAddress: createClientAddress(config.trusted_proxies),
      unsent: new UnsentAnswers(config.max_unsent_bytes, log),
      passedOver: config.body_limit_bytes,
      bodyTimeout: config.body_timeout_ms,
    }
    const app = createApp({
      config,
      actions,
      pipeline,
      bus,
      log,
      shared,
      tellsNearby: host.environment === 'development',
    })
    let listening: Listening | undefined
    const server = () => {
      if (listening === undefined) throw new Error('the HTTP server does not listen yet')
      return listening
    }

    onOpen(
      async () => {
        listening = await openServer({ config, app, shared, log, listens })
        log.info({ url: listening.url }, 'rest.listening')
        return listening.close
      },
      { patienceMs: closingMs(config) },
    )

    return {
      url: () => server().url,
      port: () => server().port,
      fetch: async (request: Request) => app.fetch(request),
      use: app.use,
      conceal: concealed.conceal,
    }
  },
})
