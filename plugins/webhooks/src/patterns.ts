/** A name of events, with `*` for a part or, at the end, for all that follows. */
export const PATTERN = /^(?:\*|[A-Za-z][\w-]*)(?:\.(?:\*|[A-Za-z][\w-]*))*$/

/** Whether a pattern names an event. */
export function matches(pattern: string, event: string): boolean {
  const [wanted, parts] = [pattern.split('.'), event.split('.')]
  const isOpen = wanted.at(-1) === '*' && parts.length >= wanted.length
  if (!isOpen && wanted.length !== parts.length) return false
  return wanted.every((part, at) => part === '*' || part === parts[at])
}
