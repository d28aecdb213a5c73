import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { OutboundCapability } from './contract.ts'
import { createOutbound } from './outbound.ts'

/** The one client for all that leaves: judged addresses, and bounds for every answer. */
export const outbound = definePlugin({
  name: 'outbound',
  phase: 'domain',
  config,
  provides: OutboundCapability,
  setup({ config, env, host, redaction, onStop }) {
    const allowed = [...config.allow_private, ...config.allow_addresses]
    const { close, ...client } = createOutbound({ allowed, env, host, redaction })
    onStop(close)
    return client
  },
})
