import type { DomainBlock } from '@svc/domain/contract'
import { integrationActions } from './answers/integrations.ts'
import { OPERATE, operateAction } from './answers/operate.ts'
import { compileIntegration } from './compile/integration.ts'
import { checkDistinct } from './compile/names.ts'
import { IntegrationsDefinition } from './definition/integration.ts'
import type { Integration } from './integration.ts'
import type { Parts } from './parts.ts'

/** The key `integrations` of a domain. */
export const integrationsBlock = (parts: Parts): DomainBlock<IntegrationsDefinition> => ({
  on: 'domain',
  key: 'integrations',
  schema: IntegrationsDefinition,
  compile(written, site) {
    if (written === undefined) return undefined
    const integrations = new Map<string, Integration>()
    checkDistinct(Object.keys(written), [], site)
    for (const [name, one] of Object.entries(written)) {
      const integration = compileIntegration(name, one, site, parts)
      if (integration) integrations.set(name, integration)
    }
    return {
      actions: [
        ...integrationActions(integrations, parts.env.now),
        operateAction(integrations, site.model, parts),
      ],
      describe: () => ({ openapi: OPERATE }),
    }
  },
})
