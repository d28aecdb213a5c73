import { capability } from '@svc/kernel'

/** A plain text mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A mail that its sender keeps, and may hand over again under the same id. */
export interface Letter extends Mail {
  /** What its Message-ID is made of: letters, digits and hyphens. */
  readonly id: string
  readonly attachments?: readonly Attachment[]
}

export interface Attachment {
  readonly filename: string
  /** Its media type. */
  readonly type: string
  readonly content: Uint8Array
}

/**
 * How handing a mail over ended: the mail server took it; refused it for now or for good, by a reply that RFC 5321 has
 * such codes for; or could not be heard to its last word, so that it may have it or not.
 */
export type Handover =
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'deferred' | 'refused'
      /** The mail server's reply, as 451; undefined where the mail was not even shown to it. */
      readonly reply: number | undefined
      readonly message: string
    }
  | { readonly outcome: 'unheard'; readonly message: string }

/** Sends mail. */
export interface Mailer {
  /** False where mail is switched off: then `send` does nothing, and `deliver` throws. */
  readonly enabled: boolean
  /** Takes a mail to send it soon. It neither waits nor throws: a mail that cannot be sent is logged. */
  send(mail: Mail): void
  /** Hands one mail over, once, and tells how that ended. Further tries are up to whoever asks, and so is how long one lasts. */
  deliver(letter: Letter, signal: AbortSignal): Promise<Handover>
}

/** The server's mailer. */
export const MailerCapability = capability<Mailer>('mailer')
