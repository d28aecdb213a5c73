import type { Accounts } from '@svc/auth/contract'
import { type JobKind, type Jobs, RetryLater, Unrecoverable } from '@svc/jobs/contract'
import type { Mailer } from '@svc/mail/contract'
import { z } from 'zod'

/** The pauses before a mail is handed over again, in milliseconds. */
const DELAYS_MS = [60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]
/** How long the mail server has for one mail, in milliseconds. */
const TIMEOUT_MS = 30_000
/** How many administrators are told at most. */
const MOST = 1000
const NOBODY_WAITS_MS = 60_000

const Notice = z.object({
  endpoint: z.string(),
  host: z.string(),
  description: z.string().nullable(),
  reason: z.string(),
  at: z.string(),
})
/** An endpoint that nothing is delivered to any more, and why. */
export type Notice = z.output<typeof Notice>

const Addressed = z.object({ account: z.string(), notice: Notice })

export interface NoticeParts {
  readonly accounts: Accounts
  readonly mailer: Mailer | undefined
}

/** Declares the work that tells everybody of role admin that an endpoint was disabled: a mail each, where mail is switched on. */
export function noticeJobs(jobs: Jobs, { accounts, mailer }: NoticeParts): JobKind<Notice> {
  const mails = jobs.kind('webhooks.mail', {
    payload: Addressed,
    delaysMs: DELAYS_MS,
    async run({ account, notice }, { id, signal, stopping }) {
      if (mailer?.enabled !== true) return
      const found = await accounts.find(account)
      if (found?.status !== 'active' || found.email === null) return
      const letter = { id, to: found.email, ...wordsOf(notice) }
      const time = AbortSignal.timeout(TIMEOUT_MS)
      const handover = await mailer.deliver(letter, AbortSignal.any([signal, stopping, time]))
      if (handover.outcome === 'accepted') return
      const message = `the mail server did not take it: ${handover.message}`
      throw handover.outcome === 'refused' ? new Unrecoverable(message) : new RetryLater(message, 0)
    },
  })
  return jobs.kind('webhooks.disabled', {
    payload: Notice,
    delaysMs: Array.from({ length: 60 }, () => NOBODY_WAITS_MS),
    async run(notice, work) {
      if (mailer?.enabled !== true) return
      const told = await accounts.active({ roles: ['admin'] }, MOST)
      await work.commit(async (transaction) => {
        for (const { id } of told) await mails.put(transaction, { account: id, notice })
      })
    },
  })
}

/** What a mail says. Of the url only the host: the rest may be a secret. */
const wordsOf = ({ endpoint, host, description, reason, at }: Notice) => ({
  subject: `Webhook endpoint at ${host} is disabled`,
  text: `${[
    `Nothing is delivered any more to the webhook endpoint at ${host}${description === null ? '' : ` (${description})`}: ${reason}.`,
    `It was disabled at ${at}. Its id is ${endpoint}.`,
    `Once its receiver works, enable it by PATCH /api/v1/admin/webhooks/${endpoint} with {"enabled": true},`,
    `and send what failed once more by POST /api/v1/admin/webhooks/${endpoint}/replay.`,
  ].join('\n')}\n`,
})
