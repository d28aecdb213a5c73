import type { Environment } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { Background } from './background.ts'
import type { AccountMailer } from './contract.ts'
import { issueTicket, type TicketKind } from './tickets.ts'
import type { User } from './users.ts'

/** Single-use tokens on their way to the owner of an address. */
export interface Letters {
  /** Makes the token in the caller's transaction. */
  write(transaction: Transaction, kind: TicketKind, user: User): Promise<string>
  /** Sends it, once that transaction is over. Nobody waits for the mail. */
  post(kind: TicketKind, user: User, token: string): void
  /** What the answer may show of the token: all of it in development without mail, nothing elsewhere. */
  shown(token: string | undefined): string | undefined
}

export interface LetterOptions {
  readonly env: Environment
  readonly mailer: AccountMailer | undefined
  readonly background: Background
  readonly development: boolean
}

/** Makes the way of tokens to their owners: by mail where there is a mailer. */
export function createLetters({ env, mailer, background, development }: LetterOptions): Letters {
  return {
    write: (transaction, kind, user) => issueTicket(transaction, env, kind, user),
    post(kind, { email, username }, token) {
      if (mailer === undefined) return
      background.start('auth.mail_failed', () => mailer.send({ kind, to: email, username, token }))
    },
    shown: (token) => (development && mailer === undefined ? token : undefined),
  }
}
