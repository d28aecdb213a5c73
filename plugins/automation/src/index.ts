import { definePlugin } from '@svc/kernel'

/** What rules, workflows and schedules share: triggers, actions, durations, switches. */
export const automation = definePlugin({
  name: 'automation',
  phase: 'domain',
  setup: () => undefined,
})
