import { DomainsCapability } from '@svc/domain/contract'
import { definePlugin } from '@svc/kernel'
import { OutboundCapability } from '@svc/outbound/contract'
import { StoreCapability } from '@svc/store/contract'
import { integrationsBlock } from './block.ts'
import { config } from './config.ts'

/** Integrations: operations that a definition has done elsewhere. */
export const integrations = definePlugin({
  name: 'integrations',
  phase: 'domain',
  config,
  requires: { domains: DomainsCapability, outbound: OutboundCapability, store: StoreCapability },
  setup({ config: { enabled, max_body_bytes: maxBodyBytes }, domains, env, outbound, redaction, store }) {
    const answers = { store, env, running: new Set<string>() }
    domains.block(
      integrationsBlock({ isEnabled: enabled, maxBodyBytes, domains, env, outbound, redaction, answers }),
    )
  },
})
