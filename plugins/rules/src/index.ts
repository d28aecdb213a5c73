import { definePlugin } from '@svc/kernel'

/** Rules of a domain: what is refused, warned of and logged. */
export const rules = definePlugin({
  name: 'rules',
  phase: 'domain',
  setup: () => undefined,
})
