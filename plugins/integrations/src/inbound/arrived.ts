import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '@svc/domain/contract'

/** A message as it has arrived. */
export interface Arrived {
  /** A header by its name in lower case. */
  header(name: string): string | undefined
  readonly query: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The address that it comes from. */
  readonly remote: string
}

/** One way in which a message shows whom it comes from. */
export interface Check {
  readonly type: string
  /** Whether it asks for the address, which is asked before all else. */
  readonly isAddress: boolean
  readonly secrets: readonly Secret[]
  /** Names of the headers that hold secrets. */
  readonly hides: readonly string[]
  passes(arrived: Arrived): boolean
}

/** By what messages are told from those that were sent before. */
export interface Replay {
  readonly maxAgeMs: number
  timestampOf?(arrived: Arrived): string | undefined
  nonceOf?(arrived: Arrived): string | undefined
}

/** Whether two texts are the same, told in a time that says nothing of where they differ. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
