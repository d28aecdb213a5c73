import { z } from 'zod'

/** RFC 5322, section 3.4: an address alone, or a name and an address in angle brackets; on one line. */
const SENDER = /^(?:[^\s<>@,;]+@[^\s<>@,;]+|[^\r\n<>]*<[^\s<>@,;]+@[^\s<>@,;]+>)$/

const text = z.string().optional()

/** The configuration section `email`. */
export const config = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Send mail; without it tokens are shown in development alone'),
    smtp_host: text.describe('The mail server'),
    smtp_port: z
      .int()
      .min(1)
      .max(65_535)
      .default(587)
      .describe("The mail server's port: 587 for STARTTLS, 465 for TLS from the first byte"),
    smtp_user: text.describe('The name to sign in with; without one nobody signs in'),
    smtp_password: text.describe('The password of that name'),
    from_address: z
      .string()
      .regex(SENDER, "must be an address like 'noreply@example.org' or 'Example <noreply@example.org>'")
      .optional()
      .describe('Whom mails come from'),
    use_tls: z.boolean().default(true).describe('Send over TLS or not at all; false never uses it'),
    ca_file: text.describe(
      "A PEM file with the authority of the mail server's certificate, where it is a private one",
    ),
  })
  .superRefine((given, context) => {
    if (!given.enabled) return
    for (const key of ['smtp_host', 'from_address'] as const)
      if (!given[key])
        context.addIssue({ code: 'custom', path: [key], message: "is needed where 'enabled' is true" })
  })

export type MailConfig = z.output<typeof config>
