import { randomBytes } from 'node:crypto'
import { type Environment, systemEnvironment } from '@svc/kernel'

/** The instant at which every test clock starts. */
export const START = Date.UTC(2026, 2, 1, 12)

/** A kernel environment whose time stands still until a test moves it; randomness is real unless given. */
export interface Clock extends Environment {
  /** Moves the time forward. */
  advance(milliseconds: number): void
}

/** Makes a clock that shows `start`, in milliseconds since 1970. */
export function createClock(start = START, chance: Environment['randomBytes'] = randomBytes): Clock {
  let time = start
  return {
    now: () => time,
    randomBytes: (size) => chance(size),
    lookUp: systemEnvironment.lookUp,
    advance(milliseconds) {
      time += milliseconds
    },
  }
}
