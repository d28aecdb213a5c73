import { z } from 'zod'

const encryptionKey = z
  .string()
  .refine((text) => /^[A-Za-z0-9+/]{43}=$/.test(text), 'has to be 32 bytes in base64')

/** The configuration section `integrations`. */
export const config = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether operations of integrations are done; if not, they answer 503 and nothing is sent'),
  public_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where people find this server: those who consent to a connection come back below it'),
  files_dir: z
    .string()
    .min(1)
    .optional()
    .describe('The folder below which definitions may name files of certificates and keys'),
  encryption_key: encryptionKey
    .optional()
    .describe(
      'What OAuth tokens, signing secrets and what is sent are sealed with: 32 bytes in base64; derived from `auth.jwt.secret` where it is absent',
    ),
  previous_encryption_keys: z
    .array(encryptionKey)
    .max(10)
    .default([])
    .describe('Keys of before, which still open what they have sealed'),
  max_body_bytes: z
    .int()
    .min(1024)
    .max(104_857_600)
    .default(1_048_576)
    .describe('The most that a body may have, sent or answered, once it is decompressed'),
  concurrency: z.int().min(1).max(1000).default(16).describe('How many runs one server does at once'),
  log_retention_days: z
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('For how many days entries of the log, and runs that are over, are kept'),
})
export type IntegrationsConfig = z.output<typeof config>
