/** A name of events, with `*` for a part or, at the end, for all that follows. */
export const PATTERN = /^(?:\*|[A-Za-z][\w-]*)(?:\.(?:\*|[A-Za-z][\w-]*))*$/

/**
 * The name under which those who listen to some patterns may hear of an event, undefined where they do not: what leaves their
 * sight is told as `removed`.
 */
export function heardAs(
  patterns: readonly string[],
  prefix: string | null,
  action: string | null,
): string | undefined {
  if (prefix === null || action === null) return undefined
  const names = action === 'created' ? [action] : [action, 'removed']
  return names.map((one) => `${prefix}${one}`).find((name) => matchesAny(patterns, name))
}

export const matchesAny = (patterns: readonly string[], event: string): boolean =>
  patterns.some((one) => matches(one, event))

/** Whether a pattern names an event. */
export function matches(pattern: string, event: string): boolean {
  const [wanted, parts] = [pattern.split('.'), event.split('.')]
  const isOpen = wanted.at(-1) === '*' && parts.length >= wanted.length
  if (!isOpen && wanted.length !== parts.length) return false
  return wanted.every((part, at) => part === '*' || part === parts[at])
}
