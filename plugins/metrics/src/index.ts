import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { MetricsCapability } from './contract.ts'

/** Prometheus metrics on a listener of their own. */
export const metrics = definePlugin({
  name: 'metrics',
  phase: 'transport',
  config,
  provides: MetricsCapability,
  async setup({ config: { host, port }, bus, host: server, log, listens, onOpen, onStop }) {
    if (port === undefined || !server.serves) {
      log.debug({}, 'metrics.off')
      return { counter: () => ({ add: () => undefined }), gauge: () => undefined }
    }
    const { countRequests } = await import('./request-metrics.ts')
    const { processMetrics } = await import('./process-metrics.ts')
    const { pluginMetrics } = await import('./plugin-metrics.ts')
    const { listen } = await import('./listen.ts')
    const requests = countRequests(bus)
    onStop(requests.stop)
    const plugins = pluginMetrics(log)
    const registries = [requests.registry, plugins.registry, processMetrics()]
    // The address is taken before any other plugin changes something, and answers once all of them work.
    const listener = await listen({ host, port, registries, log })
    onStop(listener.close)
    onStop(listens({ address: host, port: listener.port }))
    onOpen(() => {
      listener.open()
      return listener.close
    })
    return plugins.metrics
  },
})
