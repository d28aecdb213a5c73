import type { AttemptFailure } from '../run/attempted.ts'

/** A request that could not be authorized: an attempt that has failed before anything was sent. */
export class NotAuthorized extends Error {
  readonly failure: AttemptFailure

  constructor(failure: AttemptFailure) {
    super(failure.message)
    this.failure = failure
  }
}
