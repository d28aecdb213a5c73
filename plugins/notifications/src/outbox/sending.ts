import type { Jobs, JobKind } from '@svc/jobs/contract'
import { z } from 'zod'
import { afterTry, entryIs } from './entries.ts'
import type { SendParts } from './parts.ts'
import type { Sending } from './raise.ts'
import { send } from './send.ts'
import { tablesOf } from './tables.ts'

/** How many messages one server hands over at once. */
const AT_ONCE = 8
/** The pauses before further tries of what went wrong inside the server, in milliseconds. */
const DELAYS_MS: readonly number[] = [1000, 5000, 30_000, 300_000]
/** What a try takes beside the answer of the other side, in milliseconds. */
const BESIDE_MS = 45_000

/** Declares the work of sending one message. */
export function declareSending(
  jobs: Jobs,
  { timeoutMs, ...parts }: Omit<SendParts, 'sending'> & { readonly timeoutMs: number },
): JobKind<Sending> {
  const { env } = parts
  const kind: JobKind<Sending> = jobs.kind('notifications.send', {
    payload: z.object({ domain: z.string(), id: z.string() }),
    delaysMs: DELAYS_MS,
    maxRunMs: timeoutMs + BESIDE_MS,
    workers: AT_ONCE,
    run: (sending, work) => send(sending, work, { ...parts, sending: () => kind }),
    async failed(transaction, { domain, id }, { nextAt }) {
      if (nextAt !== null) return
      const fault = {
        status: 'failed',
        code: 'INTERNAL_ERROR',
        message: 'Something went wrong inside the server: its log says what',
      } as const
      const set = afterTry(fault, DELAYS_MS.length + 1, new Date(env.now()).toISOString(), null)
      await transaction.update({ table: tablesOf(domain).entries, set, where: entryIs(id) })
    },
  })
  return kind
}
