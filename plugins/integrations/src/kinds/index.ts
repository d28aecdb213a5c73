import type { Site } from '@svc/domain/contract'
import { z } from 'zod'
import { checkName } from '../compile/names.ts'
import type { Integration } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { amqp } from './amqp/amqp.ts'
import { mqtt } from './mqtt/mqtt.ts'
import { objectStorage } from './object-storage/object-storage.ts'
import { rest } from './rest/rest.ts'
import { smtp } from './smtp/smtp.ts'
import { webhook } from './webhook.ts'

/** An integration as it is written. */
export const IntegrationDefinition = z.discriminatedUnion('type', [
  rest.definition,
  webhook.definition,
  smtp.definition,
  objectStorage.definition,
  amqp.definition,
  mqtt.definition,
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
    case 'amqp':
      return amqp.compile(name, written, site, parts)
    case 'mqtt':
      return mqtt.compile(name, written, site, parts)
  }
}
