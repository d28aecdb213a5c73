import type { Logger } from '@svc/kernel'
import { Counter, Gauge, Registry } from 'prom-client'
import type { Metrics } from './contract.ts'
import { PREFIX } from './names.ts'

/** Keeps the metrics that plugins bring. */
export function pluginMetrics(log: Logger): { readonly registry: Registry; readonly metrics: Metrics } {
  const registry = new Registry()
  const registers = [registry]
  const metrics: Metrics = {
    counter({ name, help, labels = [] }) {
      const counter = new Counter({ name: `${PREFIX}${name}`, help, labelNames: labels, registers })
      return { add: (under = {}) => counter.inc(under) }
    },
    gauge({ name, help, read }) {
      new Gauge({
        name: `${PREFIX}${name}`,
        help,
        registers,
        async collect() {
          try {
            this.set(await read())
          } catch (error) {
            log.warn({ metric: name, err: error }, 'metrics.unreadable')
            this.set(Number.NaN)
          }
        },
      })
    },
  }
  return { registry, metrics }
}
