import { type Block, DomainsCapability } from '@svc/domain/contract'
import { definePlugin, type Plugin } from '@svc/kernel'

/** A plugin that owns keys of the definition language, and nothing else. */
export const owning = (...blocks: readonly Block[]): Plugin =>
  definePlugin({
    name: 'owner',
    phase: 'domain',
    requires: { domains: DomainsCapability },
    setup({ domains }) {
      for (const block of blocks) domains.block(block)
    },
  })
