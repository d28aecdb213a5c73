import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'

/** What a plugin takes from outside the process, gathered so that tests can freeze or break it. */
export interface Environment {
  /** The present time in milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** `size` bytes that nobody can guess. */
  randomBytes(size: number): Uint8Array
  /** The addresses of a host's name, as the system knows them, in the order in which they are tried; rejects where it has none. */
  lookUp(name: string): Promise<readonly string[]>
}

/** The real clock, the operating system's random source, and its names. */
export const systemEnvironment: Environment = Object.freeze({
  now: () => Date.now(),
  randomBytes: (size: number) => randomBytes(size),
  lookUp: async (name: string) => (await lookup(name, { all: true })).map(({ address }) => address),
})
