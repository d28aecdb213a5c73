import type { Environment } from '@svc/kernel'
import type { Mailer } from '@svc/mail/contract'
import type { FailureLimit } from '@svc/ratelimit/contract'
import type { Transaction } from '@svc/store/contract'
import { assertFree } from './assert-free.ts'
import type { AuthConfig } from './config.ts'
import { letterOf } from './letter-text.ts'
import { issueTicket, type TicketKind } from './tickets.ts'
import type { User } from './users.ts'

/** Single-use tokens on their way to the owner of an address. */
export interface Letters {
  /**
   * Makes the token in the caller's transaction. Throws RATE_LIMITED where the user had too many mails already: anybody
   * can ask for a mail to somebody else. The token of the last one stays valid then.
   */
  write(transaction: Transaction, kind: TicketKind, user: User): Promise<string>
  /** Sends it, once that transaction is over. Nobody waits for the mail. */
  post(kind: TicketKind, user: User, token: string): void
  /** What the answer may show of the token: all of it in development without mail, nothing elsewhere. */
  shown(token: string | undefined): string | undefined
}

export interface LetterOptions {
  readonly env: Environment
  /** One user gets as many mails as there may be wrong passwords. */
  readonly limit: FailureLimit | undefined
  readonly mailer: Mailer | undefined
  readonly links: AuthConfig['links']
  readonly development: boolean
}

/** Makes the way of tokens to their owners: by mail where there is a mailer. */
export function createLetters({ env, limit, mailer, links, development }: LetterOptions): Letters {
  const isMailed = mailer?.enabled === true
  return {
    async write(transaction, kind, user) {
      // No sign-in is counted under a key like this.
      const key = `mail|${user.id}`
      if (isMailed) {
        assertFree(limit, key, 'Too many mails')
        limit?.failed(key)
      }
      return issueTicket(transaction, env, kind, user)
    },
    post: (kind, { email }, token) => mailer?.send({ to: email, ...letterOf(kind, token, links) }),
    shown: (token) => (development && !isMailed ? token : undefined),
  }
}
