import { compileDuration } from '@svc/automation/contract'
import type { Path, Site } from '@svc/domain/contract'
import { readInstant } from '@svc/expression/contract'
import type { WebhookDefinition } from '../definition/webhook.ts'
import { headerNameFault } from '../wire/headers.ts'
import type { Arrived, Replay } from './arrived.ts'
import type { Checks } from './checks.ts'

const MAX_AGE_MS = 300_000
const DAY_MS = 86_400_000
/** How long a nonce counts where messages bear no moment, in milliseconds. */
const UNTIMED_MS = 30 * DAY_MS

/** Compiles `replayProtection`; undefined where there is none. What is wrong is reported. */
export function compileReplay(
  { replayProtection: written }: WebhookDefinition,
  { signatures }: Checks,
  path: Path,
  site: Site,
): Replay | undefined {
  const scheme = signatures.find(({ replay }) => replay !== undefined)?.replay
  if (written === undefined) return scheme && { maxAgeMs: MAX_AGE_MS, ...scheme }
  const { enabled = true, timestampHeader, maxAge, nonceHeader } = written
  const at = [...path, 'replayProtection']
  const maxAgeMs =
    maxAge === undefined
      ? MAX_AGE_MS
      : (compileDuration(maxAge, [...at, 'maxAge'], site, { least: '1s', most: '30d' })?.ms ?? MAX_AGE_MS)
  for (const [key, name] of Object.entries({ timestampHeader, nonceHeader })) {
    const fault = name === undefined ? undefined : headerNameFault(name)
    if (fault !== undefined) site.problem([...at, key], fault)
  }
  if (!enabled) return undefined
  if (scheme === undefined && timestampHeader === undefined && nonceHeader === undefined)
    site.problem(at, "names neither 'timestampHeader' nor 'nonceHeader'", 'Name one of them at least')
  const header = (name: string) => (arrived: Arrived) => arrived.header(name.toLowerCase())
  const timestampOf = timestampHeader === undefined ? scheme?.timestampOf : header(timestampHeader)
  return {
    maxAgeMs,
    ...(timestampOf && { timestampOf }),
    ...(nonceHeader !== undefined && { nonceOf: header(nonceHeader) }),
  }
}

/** Whether a message is of now, by what it says of its moment: seconds since 1970, or RFC 3339. */
export function isTimely(arrived: Arrived, { timestampOf, maxAgeMs }: Replay, now: number): boolean {
  if (timestampOf === undefined) return true
  const text = timestampOf(arrived) ?? ''
  const at = /^\d{1,11}$/.test(text) ? Number(text) * 1000 : readInstant(text)?.at
  return at !== undefined && Math.abs(now - at) <= maxAgeMs
}

/** The nonce of a message, and how long it counts; undefined where none is asked for, null where it is none. */
export function nonceOf(
  arrived: Arrived,
  replay: Replay | undefined,
): { readonly value: string; readonly forMs: number } | null | undefined {
  if (replay?.nonceOf === undefined) return undefined
  const value = replay.nonceOf(arrived) ?? ''
  if (!/^[\x20-\x7e]{1,255}$/.test(value)) return null
  return { value, forMs: replay.timestampOf ? 2 * replay.maxAgeMs : UNTIMED_MS }
}
