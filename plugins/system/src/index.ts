import { definePlugin } from '@svc/kernel'
import { systemActions } from './actions.ts'

/** What the server says of itself: health, version, status, plugins and routes. */
export const system = definePlugin({
  name: 'system',
  phase: 'domain',
  setup({ actions, host, log }) {
    actions.add(...systemActions({ actions, host, log }))
  },
})
