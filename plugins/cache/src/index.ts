import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { createAnswers } from './answers.ts'
import { cacheConfig } from './config.ts'

/** Keeps the answers of resources with `caching` until something is written. */
export const cache = definePlugin({
  name: 'cache',
  phase: 'domain',
  config: cacheConfig,
  requires: { domains: DomainsCapability, store: StoreCapability },
  setup: ({ config, domains, store, env }) =>
    domains.keep(
      createAnswers({
        state: () => store.state(),
        now: () => env.now(),
        maxBytes: config.max_mb * 1024 * 1024,
      }),
    ),
})
