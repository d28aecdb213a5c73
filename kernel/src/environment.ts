import { randomBytes } from 'node:crypto'

/** What a plugin takes from outside the process, gathered so that tests can freeze or break it. */
export interface Environment {
  /** The present time in milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** `size` bytes that nobody can guess. */
  randomBytes(size: number): Uint8Array
}

/** The real clock and the operating system's random source. */
export const systemEnvironment: Environment = Object.freeze({
  now: () => Date.now(),
  randomBytes: (size: number) => randomBytes(size),
})
