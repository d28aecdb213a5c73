import type { RetryPolicy } from '../policies.ts'
import type { AttemptFailure } from './attempted.ts'

/** What failed, as retries judge it. */
export interface Failed extends Pick<AttemptFailure, 'kind' | 'mayHaveArrived' | 'afterMs'> {
  readonly status: number | null
}

/** Statuses by which another side says when it may be asked again. */
const BUSY: ReadonlySet<number | null> = new Set([429, 503])

/**
 * The pause before the next attempt after so many, in milliseconds; undefined where there is none. `isRepeatable` says that the other
 * side tells doubles; of anything else only what cannot have arrived is sent again, and what was answered by 429 or 503.
 * `chance` is between 0 and 1.
 */
export function pauseAfter(
  failed: Failed,
  attempts: number,
  policy: RetryPolicy | undefined,
  { isRepeatable, chance }: { readonly isRepeatable: boolean; readonly chance: number },
): number | undefined {
  if (policy === undefined || attempts >= policy.maxAttempts || !isAskedFor(failed, policy)) return undefined
  const isBusy = BUSY.has(failed.status)
  if (!isRepeatable && failed.mayHaveArrived && !isBusy) return undefined
  const { isFixed, baseMs, maxMs } = policy
  const full = Math.min(maxMs, isFixed ? baseMs : baseMs * 2 ** (attempts - 1))
  const pause = isFixed ? full : full * (0.5 + chance / 2)
  return Math.round(Math.max(pause, isBusy ? (failed.afterMs ?? 0) : 0))
}

function isAskedFor({ kind, status }: Failed, { on }: RetryPolicy): boolean {
  if (kind !== 'status') return on.has(kind)
  return status !== null && (on.has(status) || on.has(`${Math.floor(status / 100)}xx`))
}

/** Whether it is the other side that is in trouble, as breakers count it. */
export const isTrouble = ({ kind, status }: Pick<Failed, 'kind' | 'status'>): boolean =>
  kind === 'network' ||
  kind === 'timeout' ||
  (kind === 'status' && status !== null && (status === 429 || status >= 500))
