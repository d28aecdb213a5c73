import { definePlugin } from '@svc/kernel'

/** The one client for all that leaves: judged addresses, caps, redaction. */
export const outbound = definePlugin({
  name: 'outbound',
  phase: 'domain',
  setup: () => undefined,
})
