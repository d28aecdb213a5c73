import { errors, type Warning } from '@svc/kernel'

/**
 * Takes note of what a query asked for in vain. An unreadable name is reported in the same words as an unknown
 * one, so that nobody learns that it exists.
 */
export interface Ignored {
  (parameter: string, name: string): void
}

/** Collects warnings, or refuses the query where the client asked for strict handling (RFC 7240). */
export function ignoredBy(prefer: string | undefined, warn: (warning: Warning) => void): Ignored {
  const drop = droppedBy(prefer, warn)
  return (parameter, name) => drop(`'${name}' in '${parameter}' is not known here`)
}

/** The same for anything that a client sends in vain; the message says what and why. */
export function droppedBy(
  prefer: string | undefined,
  warn: (warning: Warning) => void,
): (message: string) => void {
  const strict = prefer !== undefined && /(^|[,;\s])handling\s*=\s*"?strict\b/i.test(prefer)
  return (message) => {
    if (strict) throw errors.INVALID_QUERY({ message })
    warn({ rule: 'ignored', message: `${message}: it was ignored`, severity: 'info', regulation: null })
  }
}
