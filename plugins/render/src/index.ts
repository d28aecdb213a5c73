import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { RenderCapability } from './contract.ts'
import { startRender } from './start.ts'

/** Makes files of documents. */
export const render = definePlugin({
  name: 'render',
  phase: 'domain',
  config,
  provides: RenderCapability,
  setup: startRender,
})
