import { z } from 'zod'

export const STATUSES = ['pending', 'sent', 'logged', 'failed'] as const

/** A message as administrators see it. */
export const NotificationEntry = z.object({
  id: z.string().describe('What the message is known by, at every try: its Message-ID, its `webhook-id`.'),
  name: z.string().describe('What raised it, as locale files have it: `rules.<rule>`.'),
  channel: z.string().describe('The channel: log, email, webhook, or one of a plugin.'),
  status: z.enum(STATUSES).describe('`pending` until it is sent, logged, or failed for good.'),
  recipient: z
    .string()
    .nullable()
    .describe(
      'An address; of a webhook the url without its query; null where it is not known yet, there is none, or you may not read the field that names it.',
    ),
  subject: z.string().nullable().describe('Its subject, as far as you may read what that was made of.'),
  body: z.string().describe('Its text, as far as you may read what that was made of.'),
  source: z
    .object({
      kind: z.string().describe('rule, schedule or workflow.'),
      name: z.string().describe('Its name in the definition.'),
      step: z.string().nullable().describe('The step of a workflow.'),
      id: z.string().nullable().describe('The entry in its own ledger, such as the instance.'),
    })
    .describe('What raised it.'),
  resource: z.string().nullable().describe('The resource of the record that it is about.'),
  recordId: z.union([z.string(), z.number()]).nullable().describe('The key of that record.'),
  attempts: z.int().describe('How often it was handed over, or tried to be.'),
  nextAttemptAt: z.string().nullable().describe('When it is tried next; null where that is over.'),
  createdAt: z.string().describe('When it was raised.'),
  sentAt: z.string().nullable().describe('When it was handed over.'),
  responseStatus: z
    .int()
    .nullable()
    .describe("The last answer's status: of HTTP, or the mail server's reply."),
  error: z.object({ code: z.string(), message: z.string() }).nullable().describe('Why the last try failed.'),
  resendOf: z.string().nullable().describe('The message that it was sent again for.'),
})
