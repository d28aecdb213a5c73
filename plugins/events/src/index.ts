import { definePlugin } from '@svc/kernel'

/** What happened to records, kept as long as somebody has still to hear it. */
export const events = definePlugin({
  name: 'events',
  phase: 'domain',
  setup: () => undefined,
})
