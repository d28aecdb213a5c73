import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'

/** The key `encryption` of `privacy`. */
export const EncryptionDefinition = z
  .strictObject({
    provider: z.enum(['aes256gcm']).optional().describe('How values are encrypted: aes256gcm.'),
    keySource: z
      .enum(['env', 'file'])
      .optional()
      .describe('Whether the variable holds the key (env, unless said) or the path of its file.'),
    keyVariable: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/, { error: 'must be the name of a variable, such as SVC_ENCRYPTION_KEY' })
      .optional()
      .describe('The variable: SVC_ENCRYPTION_KEY unless said.'),
    keyRotation: DurationText.optional().describe('After what time values are written with another key.'),
  })
  .describe('How fields that say encrypted: true are kept.')
export type EncryptionDefinition = z.output<typeof EncryptionDefinition>
