import { capability } from '@svc/kernel'

/** A plain text mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail in the background. */
export interface Mailer {
  /** False where mail is switched off: then `send` does nothing. */
  readonly enabled: boolean
  /** Takes a mail to send it soon. It neither waits nor throws: a mail that cannot be sent is logged. */
  send(mail: Mail): void
}

/** The server's mailer. */
export const MailerCapability = capability<Mailer>('mailer')
