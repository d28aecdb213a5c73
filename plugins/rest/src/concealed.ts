/** Which segments of paths no log tells. */
export interface Concealed {
  /**
   * Conceals the segment behind `behind`, and all further ones but `words`: who forgets to escape a slash writes a value in several
   * segments.
   */
  conceal(behind: readonly string[], name: string, words?: readonly string[]): void
  /** A path with names in place of what is concealed. */
  readonly told: (path: string) => string
}

interface Rule {
  readonly behind: readonly string[]
  readonly name: string
  readonly words: ReadonlySet<string>
}

/** Keeps which segments are concealed: paths of which none is, cost a look at each rule. */
export function createConcealed(): Concealed {
  const rules: Rule[] = []
  return {
    conceal: (behind, name, words = []) => void rules.push({ behind, name, words: new Set(words) }),
    told: (path) => rules.reduce(concealedBy, path),
  }
}

/** A path that is nearly the one that is meant leads nowhere, and tells a log as much. */
function concealedBy(path: string, { behind, name, words }: Rule): string {
  // Most paths speak of nothing of the kind.
  if (!path.includes('%') && !path.toLowerCase().includes(behind[0] ?? '')) return path
  const segments = path.split('/')
  const plain = segments.map((segment, at) => ({ word: decoded(segment).toLowerCase(), at }))
  const said = plain.filter(({ word }) => word !== '')
  const found = said.findIndex((_, index) => behind.every((one, step) => said[index + step]?.word === one))
  if (found < 0) return path
  const [first, ...further] = said.slice(found + behind.length)
  if (first === undefined) return path
  const hidden = new Set([first, ...further.filter(({ word }) => !words.has(word))].map(({ at }) => at))
  return segments.map((segment, at) => (hidden.has(at) ? name : segment)).join('/')
}

/** How often somebody may have escaped a segment. */
const MOST_TIMES = 3

function decoded(segment: string): string {
  let text = segment
  try {
    for (let times = 0; times < MOST_TIMES && text.includes('%'); times += 1) text = decodeURIComponent(text)
  } catch {
    return text
  }
  return text
}
