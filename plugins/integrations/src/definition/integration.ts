import { DurationText } from '@svc/automation/contract'
import { PermissionSchema, Text } from '@svc/domain/contract'
import { z } from 'zod'
import { ResilienceDefinition, resilienceKeys } from './resilience.ts'

/** The keys that integrations of every type have. */
export const commonKeys = {
  label: Text.optional(),
  description: Text.optional(),
  enabled: z
    .boolean()
    .optional()
    .describe('Whether it is in use; true unless said. If not it is listed, and does nothing.'),
  permissions: z
    .strictObject({
      view: PermissionSchema.optional().describe('Who sees it.'),
      execute: PermissionSchema.optional().describe('Who does its operations.'),
      manage: PermissionSchema.optional().describe('Who looks after it.'),
    })
    .optional()
    .describe('Roles, or an expression about the caller; [admin] unless said.'),
  ...resilienceKeys,
  resilience: ResilienceDefinition.optional(),
  log: z
    .strictObject({
      bodies: z.boolean().optional().describe('Whether bodies are kept; true unless said.'),
      retention: DurationText.optional().describe(
        'How long entries are kept: integrations.log_retention_days unless said.',
      ),
    })
    .optional()
    .describe('What of its attempts is kept.'),
  redact: z
    .array(z.string().min(1).max(100))
    .optional()
    .describe('Names whose values no log holds, besides password, secret, token and their like.'),
  as: z
    .string()
    .min(1)
    .optional()
    .describe('The username with whose rights it writes; the system unless said.'),
} as const

export type CommonDefinition = z.output<z.ZodObject<typeof commonKeys>>

/** The keys of types that send by themselves. */
export const sendingKeys = {
  timeout: DurationText.optional().describe('How long an attempt may take: 10s unless said, at most 60s.'),
} as const
