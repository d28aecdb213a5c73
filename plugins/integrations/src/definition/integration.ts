import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'
import { AuthDefinition } from '../auth/definition.ts'
import { commonKeys } from './common.ts'
import { OperationDefinition, unsupported, Values } from './operation.ts'
import { WebhookDefinition } from './webhook.ts'

/** Types of integrations that the language names, and this version does not know. */
export const UNSUPPORTED_TYPES = [
  'object_storage',
  'objectStorage',
  'storage',
  's3',
  'smtp',
  'amqp',
  'mqtt',
] as const

/** Keys of an integration that are refused as not supported. */
export const UNSUPPORTED_OF_INTEGRATION = ['ca', 'ca_file'] as const

const RestDefinition = z
  .strictObject({
    type: z.literal('rest'),
    ...commonKeys,
    auth: z
      .union([AuthDefinition, z.array(AuthDefinition).min(1)])
      .optional()
      .describe('How requests are authorized: one way, or several that all apply.'),
    timeout: DurationText.optional().describe('How long an attempt may take: 10s unless said, at most 60s.'),
    baseUrl: z.string().min(1).describe('Where its paths begin: https, without a query.'),
    headers: Values.optional().describe("Headers of every request; an operation's own win."),
    query: Values.optional().describe("Query parameters of every request; an operation's own win."),
    redirects: z.int().min(0).max(5).optional().describe('How many redirects are followed; 0 unless said.'),
    operations: z.record(z.string(), OperationDefinition).optional().describe('What it does, by name.'),
    ca: unsupported,
    ca_file: unsupported,
  })
  .describe('An interface over HTTP.')
export type RestDefinition = z.output<typeof RestDefinition>

/** An integration as it is written. */
export const IntegrationDefinition = z.discriminatedUnion('type', [
  RestDefinition,
  WebhookDefinition,
  z.looseObject({ type: z.enum(UNSUPPORTED_TYPES) }).describe('A type that this version does not support.'),
])
export type IntegrationDefinition = z.output<typeof IntegrationDefinition>

/** The key `integrations` of a domain. */
export const IntegrationsDefinition = z
  .record(z.string(), IntegrationDefinition)
  .describe('Other systems by name, and what is done there.')
export type IntegrationsDefinition = z.output<typeof IntegrationsDefinition>
