import { definePlugin } from '@svc/kernel'

/** Schedules: what is due at a time, for records or by itself. */
export const schedules = definePlugin({
  name: 'schedules',
  phase: 'domain',
  setup: () => undefined,
})
