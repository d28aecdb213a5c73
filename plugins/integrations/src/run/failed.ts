import { type AppError, errors } from '@svc/kernel'
import { integrationErrors } from '../errors.ts'
import type { AttemptFailure } from './attempted.ts'

/** What is told of a run beside its failure. */
export interface FailedRun {
  readonly runId: string
  readonly attempts: number
  readonly status: number | null
  readonly deadLetterId: string | null
}

/** A failure as whoever asked is told. */
export function failedError({ kind, message: why }: AttemptFailure, data: FailedRun): AppError {
  const detail = { message: `Nothing came of it: ${why}`, data: { ...data } }
  if (kind === 'refused') return integrationErrors.ADDRESS_REFUSED(detail)
  if (kind === 'timeout') return integrationErrors.UPSTREAM_TIMEOUT(detail)
  return kind === 'cancelled' ? errors.UNAVAILABLE(detail) : integrationErrors.UPSTREAM_FAILED(detail)
}
