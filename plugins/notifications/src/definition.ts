import { Text } from '@svc/domain/contract'
import { z } from 'zod'

/** A channel as it is written: its name alone, or its type with the keys of that type. */
const Channel = z
  .union([
    z.string().describe('`log`, `email` (or `mail`), or a channel that a plugin adds.'),
    z
      .looseObject({
        type: z.string().describe('`webhook`, `log`, `email`, or a channel that a plugin adds.'),
        url: z.string().optional().describe('Of `webhook`: where the message is posted to; https.'),
        secret: z
          .string()
          .optional()
          .describe('Of `webhook`: what signs the message; one variable, `${NAME}`, and nothing else.'),
        headers: z
          .record(z.string(), z.string())
          .optional()
          .describe('Of `webhook`: further headers, by name.'),
      })
      .describe('A channel with what it needs to know.'),
  ])
  .describe('Where the message goes.')

/** The key `notification` of rules, schedules, steps and whatever else raises one: whom it reaches, and with which words. */
export const NotificationDefinition = z
  .strictObject({
    channels: z.array(Channel).describe('Where the message goes: one message for each channel and address.'),
    recipients: z
      .strictObject({
        roles: z
          .array(z.string().min(1))
          .optional()
          .describe('Every active account with one of these roles when the message is sent.'),
        field: z
          .union([z.string(), z.array(z.string())])
          .optional()
          .describe(
            'Where addresses, ids of users, or lists of them stand: a field, `<belongsTo>.<field>`, or a `$` variable.',
          ),
      })
      .optional()
      .describe('Whom the message reaches; required for email.'),
    template: z
      .strictObject({
        subject: Text.optional().describe('One line; required for email.'),
        body: Text.describe('The text, with `{field}` for values.'),
      })
      .describe('The words, in the language of texts: `{field}`, `{expression | pipe}`, `{#each}`, `{#if}`.'),
  })
  .describe('A message that is sent once what raises it is committed.')

/** A notification as it is written. */
export type NotificationDefinition = z.infer<typeof NotificationDefinition>
