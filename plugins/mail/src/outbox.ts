import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@svc/kernel'
import type { Handover, Mail } from './contract.ts'
import { createLanes } from './lanes.ts'
import type { HandOver } from './smtp.ts'

/** Mails on their way out. They are kept in memory alone: a crash loses them, and their tokens can be asked for anew. */
export interface Outbox {
  put(mail: Mail): void
  /** Takes no more, tries what is left once more, and returns within a few seconds whatever the mail server does. */
  flush(): Promise<void>
}

/** How long to wait after each try that failed, in milliseconds; after the last one nothing follows. */
const PAUSES_MS: readonly number[] = [500, 5_000, 30_000]
/** One try, from the look-up of the mail server's name to its last word. */
const TRY_MS = 20_000
/** Connections to the mail server at once. */
const AT_ONCE = 4
/** Mails that wait, those between two tries included: some 10 MB. */
const MAX_KEPT = 1_000
const FLUSH_MS = 3_000

/** Makes an outbox before `handOver`. */
export function createOutbox(handOver: HandOver, log: Logger): Outbox {
  const kept = new Set<Promise<void>>()
  const lanes = createLanes(AT_ONCE)
  /** Nobody waits for another try any more. */
  const closing = new AbortController()
  /** The last try is over too. */
  const ended = new AbortController()

  const carry = async (mail: Mail): Promise<void> => {
    for (const pause of [...PAUSES_MS, undefined]) {
      const handover = await tried(mail)
      if (handover.outcome === 'accepted') return
      const { message: reason } = handover
      const isLast = pause === undefined || handover.outcome === 'refused' || closing.signal.aborted
      if (isLast) return log.error({ to: mail.to, subject: mail.subject, reason }, 'mail.failed')
      log.warn({ to: mail.to, subject: mail.subject, reason, retryInMs: pause }, 'mail.delayed')
      await delay(pause, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    }
  }

  const tried = async (mail: Mail): Promise<Handover> => {
    let handover: Handover = { outcome: 'unheard', message: 'it was not tried' }
    await lanes(async () => {
      handover = await handOver(mail, AbortSignal.any([ended.signal, AbortSignal.timeout(TRY_MS)]))
    })
    return handover
  }

  return {
    put(mail) {
      const reason = refusalOf(kept.size, closing.signal)
      if (reason !== undefined)
        return log.error({ to: mail.to, subject: mail.subject, reason }, 'mail.failed')
      const one: Promise<void> = carry(mail).finally(() => kept.delete(one))
      kept.add(one)
    },
    async flush() {
      closing.abort()
      const timer = setTimeout(() => ended.abort(), FLUSH_MS)
      await Promise.all(kept)
      clearTimeout(timer)
    },
  }
}

function refusalOf(kept: number, { aborted }: AbortSignal): string | undefined {
  if (aborted) return 'the server is stopping'
  return kept < MAX_KEPT ? undefined : 'too many mails wait already'
}
