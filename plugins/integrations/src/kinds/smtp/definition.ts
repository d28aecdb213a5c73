import { Text } from '@svc/domain/contract'
import { z } from 'zod'
import { authorityKeys } from '../../auth/authorities.ts'
import { basic } from '../../auth/basic.ts'
import { commonKeys, sendingKeys } from '../../definition/integration.ts'
import { operationKeys } from '../../definition/operation.ts'

const Addresses = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(50)])
  .describe('One address, or a list; each value is exactly one, or a list of such.')

const MailOperation = z
  .strictObject({
    ...operationKeys,
    to: Addresses,
    cc: Addresses.optional(),
    bcc: Addresses.optional(),
    subject: z.string().min(1).describe('What it is about: one line.'),
    text: z.string().min(1).optional().describe('The text, with values in braces.'),
    html: Text.optional().describe('The same as HTML: values are escaped.'),
    attachments: z
      .array(
        z.strictObject({
          media: z.string().min(1).describe('The id of an item of the library, such as $record.slip.'),
          filename: z.string().min(1).optional().describe("Its name there; the item's own unless said."),
        }),
      )
      .max(20)
      .optional()
      .describe('Files that go with it.'),
  })
  .describe('A mail.')
export type MailOperation = z.output<typeof MailOperation>

/** An integration of type `smtp`. */
export const SmtpDefinition = z
  .strictObject({
    type: z.literal('smtp'),
    ...commonKeys,
    ...sendingKeys,
    auth: z
      .union([basic.definition, z.array(basic.definition).length(1)])
      .optional()
      .describe('The name and the password: basic, or nothing.'),
    host: z.string().min(1).describe('The mail server.'),
    port: z.int().min(1).max(65_535).optional().describe('Its port: 587 unless said.'),
    secure: z
      .enum(['starttls', 'tls', 'none'])
      .optional()
      .describe('starttls, unless said: TLS before anything is told; tls: from the first byte.'),
    from: z.string().min(3).describe('Whom mails are from: one address.'),
    replyTo: z.string().min(3).optional().describe('Where answers go: one address.'),
    ...authorityKeys,
    operations: z.record(z.string(), MailOperation).optional().describe('What it sends, by name.'),
  })
  .describe('A mail server.')
export type SmtpDefinition = z.output<typeof SmtpDefinition>
