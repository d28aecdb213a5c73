import { errors } from '@svc/kernel'
import type { SqliteTransaction } from './transaction.ts'

const SECOND_MS = 1000

/** How long a work may stand idle. */
export interface Patience {
  /** For so many seconds in a row the transaction may be left unused. */
  readonly seconds: number
  /** Whether the time is up for works that go on too: these seconds are the last. */
  readonly isClosing: () => boolean
}

/**
 * Awaits `work`; rejects with UNAVAILABLE once it has not used its transaction for so many seconds, or one more. A work
 * that goes on may take as long as it needs. The seconds are those in which the event loop turned: in a process that
 * stood still no work could go on.
 */
export async function unlessIdle(
  work: Promise<void>,
  transaction: Pick<SqliteTransaction, 'uses'>,
  { seconds, isClosing }: Patience,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const idle = new Promise<never>((_, reject) => {
    let seen = transaction.uses
    let unused = 0
    timer = setInterval(() => {
      unused = transaction.uses === seen || isClosing() ? unused + 1 : 0
      seen = transaction.uses
      if (unused === seconds) reject(isClosing() ? closing() : stoodIdle(seconds))
    }, SECOND_MS)
  })
  try {
    await Promise.race([work, idle])
  } finally {
    clearInterval(timer)
  }
}

const stoodIdle = (seconds: number) =>
  errors.UNAVAILABLE({
    message: `A transaction stood idle for ${seconds} s and was undone: try again`,
    cause: new Error('it awaited something else than itself, perhaps another transaction of the same store'),
  })

const closing = () => errors.UNAVAILABLE({ message: 'The database closes, and a transaction was undone' })
