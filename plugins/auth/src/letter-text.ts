import type { Mail } from '@svc/mail/contract'
import type { AuthConfig } from './config.ts'
import type { TicketKind } from './tickets.ts'

/**
 * What each mail says. No name stands in it: whoever registers chooses the name and the address, and could have this
 * server send a message of theirs, in a name, to somebody else.
 */
const WORDS = {
  verifyEmail: {
    link: 'verify_email',
    subject: 'Confirm your email address',
    request: 'Please confirm that this email address is yours.',
    terms: 'It works once, within 24 hours. If this account is not yours, ignore this mail.',
  },
  resetPassword: {
    link: 'reset_password',
    subject: 'Reset your password',
    request: 'Somebody, you we hope, asked to reset the password of your account.',
    terms:
      'It works once, within an hour. If it was not you, ignore this mail: your password stays as it is.',
  },
} as const satisfies Record<TicketKind, { link: keyof AuthConfig['links'] } & Record<string, string>>

/** The mail that carries a token: with a link where there is a page for it. */
export function letterOf(kind: TicketKind, token: string, links: AuthConfig['links']): Omit<Mail, 'to'> {
  const { link, subject, request, terms } = WORDS[kind]
  const page = links[link]
  const way = page === undefined ? [] : ['Open this page:', addressOf(page, token), 'Or enter this token:']
  const lines = ['Hello,', request, ...(way.length === 0 ? ['Enter this token:'] : way), token, terms]
  return { subject, text: `${lines.join('\n\n')}\n` }
}

function addressOf(page: string, token: string): string {
  const url = new URL(page)
  url.searchParams.set('token', token)
  return url.href
}
