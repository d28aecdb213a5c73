import { type Account, callerOf } from '@svc/auth/contract'
import { nearest, type Warning } from '@svc/kernel'
import { matches } from './patterns.ts'
import type { Service } from './service.ts'

/**
 * What an endpoint listens to in vain, by the definitions and the rights of now: names that no event has, and events of which its
 * account may be told none. Nothing of it is a fault: a definition may come later, and rights too.
 */
export function doubtsOf(
  patterns: readonly string[],
  account: Account,
  { domains, events }: Pick<Service, 'domains' | 'events'>,
): readonly Warning[] {
  const outside = domains.list().map(({ name }) => events.outside(name))
  // While a definition is exchanged nobody knows.
  if (outside.includes(undefined)) return []
  const caller = callerOf(account)
  const known = outside.flatMap((one) => one?.names() ?? [])
  const open = outside.flatMap((one) => one?.names(caller) ?? [])
  if (known.length === 0) return []
  return patterns.flatMap((pattern) => {
    if (!known.some((name) => matches(pattern, name))) return [doubt('events', unknown(pattern, known))]
    return open.some((name) => matches(pattern, name)) ? [] : [doubt('as', closed(pattern, account))]
  })
}

const doubt = (rule: string, message: string): Warning => ({
  rule,
  message,
  severity: 'warning',
  regulation: null,
})

function unknown(pattern: string, known: readonly string[]): string {
  const near = nearest(pattern, new Set(known.map((name) => writtenAs(pattern, name))))
  const hint = near === undefined ? '' : `: did you mean '${near}'?`
  return `No event of the definitions in force is called '${pattern}'${hint}`
}

const closed = (pattern: string, { username }: Account): string =>
  `'${username}' may list none of the records that '${pattern}' tells of: nothing is delivered until that account may`

/** A name with the stars of a pattern. */
function writtenAs(pattern: string, name: string): string {
  const [wanted, parts] = [pattern.split('.'), name.split('.')]
  const kept = wanted.at(-1) === '*' ? parts.slice(0, wanted.length) : parts
  return kept.map((part, at) => (wanted[at] === '*' ? '*' : part)).join('.')
}
