import type { Mailer } from '@svc/mail/contract'
import { isAddress } from '../address.ts'
import type { Channel, Delivered } from '../channel.ts'

/**
 * `email`: a plain text mail to each address; where mail is switched off it is kept, and not sent. The mail server has
 * `timeoutMs` for each.
 */
export const emailChannel = (mailer: Mailer | undefined, timeoutMs: number): Channel => ({
  type: 'email',
  aliases: ['mail'],
  isAddressed: true,
  needsSubject: true,
  async deliver({ id, recipient, subject, body, enclosed }, _, signal): Promise<Delivered> {
    if (recipient === null || !isAddress(recipient))
      return { status: 'failed', code: 'INVALID_ADDRESS', message: 'This is not exactly one email address' }
    if (mailer?.enabled !== true) return { status: 'logged' }
    const file = await enclosed()
    const letter = {
      id,
      to: recipient,
      subject: subject ?? '',
      text: body,
      ...(file && { attachments: [file] }),
    }
    const time = AbortSignal.timeout(timeoutMs)
    const handover = await mailer.deliver(letter, AbortSignal.any([signal, time]))
    if (handover.outcome === 'accepted') return { status: 'sent' }
    if (handover.outcome === 'unheard' && time.aborted)
      return {
        status: 'retry',
        code: 'UPSTREAM_TIMEOUT',
        message: `The mail server did not answer within ${timeoutMs} ms`,
      }
    return {
      status: handover.outcome === 'refused' ? 'failed' : 'retry',
      code: 'UPSTREAM_FAILED',
      message: `The mail server did not take it: ${handover.message}`,
      ...('reply' in handover && handover.reply !== undefined && { responseStatus: handover.reply }),
    }
  },
})
