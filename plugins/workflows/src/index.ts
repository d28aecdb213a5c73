import { definePlugin } from '@svc/kernel'

/** Workflows: steps, waits and branches that survive restarts. */
export const workflows = definePlugin({
  name: 'workflows',
  phase: 'domain',
  setup: () => undefined,
})
