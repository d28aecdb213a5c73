/** Which segments of paths no log tells. */
export interface Concealed {
  conceal(behind: readonly string[], name: string): void
  /** A path with names in place of what is concealed. */
  readonly told: (path: string) => string
}

interface Rule {
  readonly behind: readonly string[]
  readonly name: string
}

/** Keeps which segments are concealed: paths of which none is, cost a look at each rule. */
export function createConcealed(): Concealed {
  const rules: Rule[] = []
  return {
    conceal: (behind, name) => void rules.push({ behind, name }),
    told: (path) => rules.reduce(concealedBy, path),
  }
}

function concealedBy(path: string, { behind, name }: Rule): string {
  const segments = path.split('/')
  const plain = segments.map(decoded)
  const at = plain.findIndex((_, index) => behind.every((one, step) => plain[index + step] === one))
  const place = at + behind.length
  if (at < 0 || !segments[place]) return path
  return [...segments.slice(0, place), name, ...segments.slice(place + 1)].join('/')
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
