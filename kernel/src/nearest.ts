import { distance } from 'fastest-levenshtein'

/** The known name that `name` was probably meant to be, if one is close enough: `limit` edits away at most, a third of its letters unless said. */
export function nearest(
  name: string,
  known: Iterable<string>,
  limit = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  const written = name.toLowerCase()
  let best: string | undefined
  let fewest = limit + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue
    const edits = editsBetween(written, candidate.toLowerCase())
    if (edits < fewest) [best, fewest] = [candidate, edits]
  }
  return best
}

/** Neighbours that changed places are one slip of the fingers, and two edits to the library. */
const editsBetween = (a: string, b: string): number => (areSwapped(a, b) ? 1 : distance(a, b))

function areSwapped(a: string, b: string): boolean {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return a !== b && a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2) === b
}
