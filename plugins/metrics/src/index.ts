import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { listen } from './listen.ts'
import { processMetrics } from './process-metrics.ts'
import { countRequests } from './request-metrics.ts'

/** Prometheus metrics on a listener of their own. */
export const metrics = definePlugin({
  name: 'metrics',
  phase: 'transport',
  config,
  async setup({ config: { host, port }, bus, log, onOpen, onStop }) {
    if (port === undefined) return log.debug({}, 'metrics.off')
    const requests = countRequests(bus)
    onStop(requests.stop)
    // The address is taken before any other plugin changes something, and answers once all of them work.
    const listener = await listen({ host, port, registries: [requests.registry, processMetrics()], log })
    onStop(listener.close)
    onOpen(() => {
      listener.open()
      return listener.close
    })
  },
})
