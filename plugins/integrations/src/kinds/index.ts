import type { Site } from '@svc/domain/contract'
import { z } from 'zod'
import { checkName } from '../compile/names.ts'
import type { Integration } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { objectStorage } from './object-storage/object-storage.ts'
import { rest } from './rest/rest.ts'
import { smtp } from './smtp/smtp.ts'
import { webhook } from './webhook.ts'

/** Types that the language names, and this version does not know. */
const UNSUPPORTED = ['amqp', 'mqtt'] as const

const Unsupported = z
  .looseObject({ type: z.enum(UNSUPPORTED) })
  .describe('A type that this version does not support.')

/** An integration as it is written. */
export const IntegrationDefinition = z.discriminatedUnion('type', [
  rest.definition,
  webhook.definition,
  smtp.definition,
  objectStorage.definition,
  Unsupported,
])
export type IntegrationDefinition = z.output<typeof IntegrationDefinition>

/** The key `integrations` of a domain. */
export const IntegrationsDefinition = z
  .record(z.string(), IntegrationDefinition)
  .describe('Other systems by name, and what is done there.')
export type IntegrationsDefinition = z.output<typeof IntegrationsDefinition>

/** Compiles an integration; undefined where something is wrong, which is reported. */
export function compileIntegration(
  name: string,
  written: IntegrationDefinition,
  site: Site,
  parts: Parts,
): Integration | undefined {
  checkName(name, [name], site, 'an integration')
  switch (written.type) {
    case 'rest':
      return rest.compile(name, written, site, parts)
    case 'webhook':
      return webhook.compile(name, written, site, parts)
    case 'smtp':
      return smtp.compile(name, written, site, parts)
    case 'object_storage':
    case 'objectStorage':
    case 'storage':
    case 's3':
      return objectStorage.compile(name, written, site, parts)
    default:
      site.problem(
        [name, 'type'],
        `'${written.type}' is not supported by this version`,
        'Write one of rest, webhook, smtp, object_storage, or take the integration away',
      )
      return undefined
  }
}
