import { definePlugin } from '@svc/kernel'
import { MetricsCapability } from '@svc/metrics/contract'
import { StoreCapability } from '@svc/store/contract'
import { config } from './config.ts'
import { JobsCapability } from './contract.ts'
import { startJobs } from './start.ts'

/** Durable work: put with a write, run by one server at a time, again where it fails, at last put aside. */
export const jobs = definePlugin({
  name: 'jobs',
  phase: 'domain',
  config,
  requires: { store: StoreCapability },
  optional: { metrics: MetricsCapability },
  provides: JobsCapability,
  setup: startJobs,
})
