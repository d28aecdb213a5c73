import { capability } from '@svc/kernel'

/** What a metric is called and means. */
export interface MetricOptions {
  /** Without the prefix `svc_`, in snake case: `jobs_done_total`, `jobs_oldest_seconds`. */
  readonly name: string
  /** One sentence for people. */
  readonly help: string
}

/** A number that only grows; under each set of labels one of its own. */
export interface Counter {
  add(labels?: Readonly<Record<string, string>>): void
}

/** Takes metrics of plugins beside those of requests and the process. Nothing is kept where metrics are off. */
export interface Metrics {
  /** Labels have few values: names that code gives, never what comes from outside. A taken name is an error. */
  counter(options: MetricOptions & { readonly labels?: readonly string[] }): Counter
  /** A number that is read when the metrics are; where reading fails it is `NaN`. A taken name is an error. */
  gauge(options: MetricOptions & { readonly read: () => number | Promise<number> }): void
}

/** The server's metrics. */
export const MetricsCapability = capability<Metrics>('metrics')
