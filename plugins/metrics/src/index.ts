import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'

/** Prometheus metrics on a listener of their own. */
export const metrics = definePlugin({
  name: 'metrics',
  phase: 'transport',
  config,
  async setup({ config: { host, port }, bus, log, onOpen, onStop }) {
    if (port === undefined) return log.debug({}, 'metrics.off')
    const { countRequests } = await import('./request-metrics.ts')
    const { processMetrics } = await import('./process-metrics.ts')
    const { listen } = await import('./listen.ts')
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
