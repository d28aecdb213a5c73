import type { Environment } from '@svc/kernel'

/** Milliseconds that never run backwards; only differences between two readings mean something. */
export type Clock = () => number

/**
 * A clock over `env.now` that goes on from where it was when the system's clock is set back, so that nobody
 * stays blocked for the length of the step. A step forward cannot be told from time that passed.
 */
export function steadyClock(env: Pick<Environment, 'now'>): Clock {
  let last = env.now()
  let behind = 0
  return () => {
    const now = env.now()
    if (now < last) behind += last - now
    last = now
    return now + behind
  }
}
