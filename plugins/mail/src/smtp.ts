import { readFileSync } from 'node:fs'
import { type Environment, StartupError } from '@svc/kernel'
import { createTransport } from 'nodemailer'
import type { MailConfig } from './config.ts'
import type { Handover, Letter, Mail } from './contract.ts'

/** RFC 8314, section 3.3: TLS from the first byte. */
const TLS_PORT = 465

/** Hands one mail over, once; the signal ends the try. It never throws. */
export type HandOver = (mail: Mail & Partial<Letter>, signal: AbortSignal) => Promise<Handover>

/** Hands mails to the configured mail server, each over a connection of its own. */
export function createSmtp(config: MailConfig, env: Environment): HandOver {
  const host = /@([^\s>]+)>?$/.exec(config.from_address ?? '')?.[1] ?? 'localhost'
  const transport = createTransport({
    host: config.smtp_host,
    port: config.smtp_port,
    secure: config.use_tls && config.smtp_port === TLS_PORT,
    requireTLS: config.use_tls,
    ignoreTLS: !config.use_tls,
    ...(config.ca_file && { tls: { ca: readAuthority(config.ca_file) } }),
    ...(config.smtp_user && { auth: { user: config.smtp_user, pass: config.smtp_password ?? '' } }),
    // A mail is text and nothing else: no content may name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ to, subject, text, id, attachments = [] }, signal) => {
    try {
      await transport.sendMail({
        from: config.from_address,
        // As an object it is one address, whatever stands in it; as a text it could be read as a list.
        to: { name: '', address: to },
        subject,
        text,
        date: new Date(env.now()),
        // RFC 3834, section 5: nobody's automatic answer is wanted.
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(id !== undefined && { messageId: `<${id}@${host}>` }),
        attachments: attachments.map(({ filename, type, content }) => ({
          filename,
          contentType: type,
          content: Buffer.from(content),
        })),
        signal,
      })
      return { outcome: 'accepted' }
    } catch (error) {
      return handoverOf(error)
    }
  }
}

/** RFC 5321, section 4.2.1: a code of 500 and above is the mail server's last word. Some addresses never reach it. */
function handoverOf(error: unknown): Handover {
  if (!(error instanceof Error)) return { outcome: 'unheard', message: String(error) }
  const { message } = error
  const reply = 'responseCode' in error ? error.responseCode : undefined
  if (typeof reply === 'number') return { outcome: reply >= 500 ? 'refused' : 'deferred', reply, message }
  if ('code' in error && error.code === 'EENVELOPE') return { outcome: 'refused', reply: undefined, message }
  return { outcome: 'unheard', message }
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartupError('mail', `'${file}' cannot be read`, "Correct 'email.ca_file'", error)
  }
}
