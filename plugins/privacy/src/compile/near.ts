import { nearest } from '@svc/kernel'

/** A hint with the known name that was probably meant, or with all of a few. */
export function nearestTo(name: string, known: Iterable<string>): string | undefined {
  const all = [...known]
  const found = nearest(name, all)
  if (found !== undefined) return `Did you mean '${found}'?`
  return all.length === 0 || all.length > 12 ? undefined : `There are: ${all.join(', ')}`
}
