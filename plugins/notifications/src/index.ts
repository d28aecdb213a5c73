import { definePlugin } from '@svc/kernel'

/** Messages that definitions raise: outbox, channels, dispatch log. */
export const notifications = definePlugin({
  name: 'notifications',
  phase: 'domain',
  setup: () => undefined,
})
