import { definePlugin } from '@svc/kernel'
import { NotificationsCapability } from './contract.ts'

/** Messages that definitions raise: outbox, channels, dispatch log. */
export const notifications = definePlugin({
  name: 'notifications',
  phase: 'domain',
  provides: NotificationsCapability,
  setup: () => ({ compile: () => undefined }),
})
