import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { FailureLimitCapability } from './contract.ts'
import { createFailureLimit, unlimitedFailures } from './failure-limit.ts'
import { limitRequests } from './limit-requests.ts'
import { steadyClock } from './steady-clock.ts'

/** Limits how often one client calls, and offers a limit of failed logins. */
export const ratelimit = definePlugin({
  name: 'ratelimit',
  section: 'rate_limit',
  phase: 'auth',
  config,
  provides: FailureLimitCapability,
  setup({ config, env, pipeline }) {
    if (!config.enabled) return unlimitedFailures
    const clock = steadyClock(env)
    pipeline.fill('rateLimit', limitRequests(config, clock))
    return createFailureLimit(config.login_failures, clock)
  },
})
