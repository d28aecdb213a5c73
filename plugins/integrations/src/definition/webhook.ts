import { DurationText } from '@svc/automation/contract'
import { PermissionSchema, Text } from '@svc/domain/contract'
import { z } from 'zod'
import { apiKey } from '../auth/api-key.ts'
import { basic } from '../auth/basic.ts'
import { bearer } from '../auth/bearer.ts'
import { ipWhitelist } from '../auth/ip-whitelist.ts'
import { hmacSignature } from '../auth/hmac-signature.ts'
import { commonKeys } from './integration.ts'
import { WritesDefinition } from './write.ts'

/** A signature that is checked: one of several secrets, by a scheme. */
const SignatureDefinition = hmacSignature.definition.extend({
  type: z.literal('hmac_signature').optional(),
  secret: z
    .union([z.string(), z.array(z.string()).min(1).max(10)])
    .describe('The key, or several of which one has to fit: ${NAME}.'),
  scheme: z
    .enum(['plain', 'standard', 'stripe'])
    .optional()
    .describe('plain unless said; standard: Standard Webhooks 1.0.0; stripe: t=…,v1=….'),
})
export type SignatureDefinition = z.output<typeof SignatureDefinition>

const Unsupported = z
  .looseObject({
    type: z.enum(['oauth2_client_credentials', 'oauth2_authorization_code', 'mtls', 'aws_sigv4']),
  })
  .describe('An auth type that fits no webhook.')

/** How one message shows whom it comes from. */
const CheckDefinition = z.union([
  apiKey.definition,
  bearer.definition,
  basic.definition,
  SignatureDefinition.extend({ type: z.literal('hmac_signature') }),
  ipWhitelist.definition,
  Unsupported,
])
export type CheckDefinition = z.output<typeof CheckDefinition>

const WebhookOperation = z
  .strictObject({
    description: Text.optional(),
    when: z.string().min(1).optional().describe('Which messages it is about; all unless said.'),
    write: WritesDefinition.describe('What is written of a message.'),
    manual: z.boolean().optional().describe('Whether it is done by hand; true unless said.'),
    permissions: PermissionSchema.optional().describe('Who may do it, in place of `execute`.'),
  })
  .describe('What becomes of messages.')

/** An integration of type `webhook`: messages that come in. */
export const WebhookDefinition = z
  .strictObject({
    type: z.literal('webhook'),
    ...commonKeys,
    auth: z
      .union([CheckDefinition, z.array(CheckDefinition).min(1)])
      .optional()
      .describe('How messages show whom they come from: one way, or several that all apply.'),
    signature: SignatureDefinition.optional().describe('A way of `auth`: hmac_signature.'),
    public: z.boolean().optional().describe('Says that anybody may send messages, without any `auth`.'),
    replayProtection: z
      .strictObject({
        enabled: z.boolean().optional().describe('true unless said.'),
        timestampHeader: z.string().min(1).optional().describe('The header with the moment of the message.'),
        maxAge: DurationText.optional().describe('How far off that may be, either way: 5m unless said.'),
        nonceHeader: z.string().min(1).optional().describe('The header with a value that counts once.'),
      })
      .optional()
      .describe('Refuses messages that were sent before.'),
    format: z
      .enum(['json', 'form', 'text'])
      .optional()
      .describe('What messages are: json unless said; a form is a map of texts.'),
    dedupe: z
      .string()
      .min(1)
      .optional()
      .describe('What a message is told by from those before: an expression, such as $payload.id.'),
    write: WritesDefinition.optional().describe(
      'What is written of every message, in place of `operations`.',
    ),
    operations: z
      .record(z.string(), WebhookOperation)
      .optional()
      .describe('What becomes of messages: all whose `when` holds, in written order.'),
    respond: z
      .enum(['sync', 'async'])
      .optional()
      .describe('sync, unless said: once it is written; async: once it is kept.'),
    response: z
      .strictObject({
        status: z.int().min(200).max(299).optional().describe('200 unless said.'),
        body: z.json().optional().describe('A mapping that replaces the answer.'),
      })
      .optional()
      .describe('What is answered to a message that was taken.'),
  })
  .describe('Messages that others send here.')
export type WebhookDefinition = z.output<typeof WebhookDefinition>
