import type { Site } from '@svc/domain/contract'
import type { IntegrationDefinition } from '../definition/integration.ts'
import type { Integration } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { checkName } from './names.ts'
import { compileRest } from './rest.ts'
import { compileWebhook } from './webhook.ts'

/** Compiles an integration; undefined where something is wrong, which is reported. */
export function compileIntegration(
  name: string,
  written: IntegrationDefinition,
  site: Site,
  parts: Parts,
): Integration | undefined {
  checkName(name, [name], site, 'an integration')
  if (written.type === 'rest') return compileRest(name, written, site, parts)
  if (written.type === 'webhook') return compileWebhook(name, written, site, parts)
  site.problem(
    [name, 'type'],
    `'${written.type}' is not supported by this version`,
    "Write 'rest' or 'webhook', or take the integration away",
  )
  return undefined
}
