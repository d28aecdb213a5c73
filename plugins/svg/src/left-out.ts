/** Counts what of a document is not in its clean form. */
export class LeftOut {
  readonly #kinds = new Map<Kind, { count: number; readonly names: Set<string> }>()

  add(kind: Kind, name?: string, count = 1): void {
    if (count === 0) return
    const known = this.#kinds.get(kind)
    const { names } = known ?? { names: new Set<string>() }
    if (name !== undefined && names.size <= MOST_NAMED) names.add(name.slice(0, MAX_NAME))
    this.#kinds.set(kind, { count: (known?.count ?? 0) + count, names })
  }

  /** How many of each kind, and of which names; undefined where nothing was left out. */
  get counts(): Counts | undefined {
    if (this.#kinds.size === 0) return undefined
    return new Map([...this.#kinds].map(([kind, { count, names }]) => [kind, { count, names: [...names] }]))
  }
}

export type Kind = 'element' | 'attribute' | 'style sheet' | 'comment' | 'processing instruction' | 'DOCTYPE'
export type Counts = ReadonlyMap<Kind, { readonly count: number; readonly names: readonly string[] }>

const MOST_NAMED = 5
const MAX_NAME = 40

/** Says it in English: `2 elements (script, iframe) and 1 comment`. */
export function leftOutText(counts: Counts): string {
  const parts = [...counts].map(
    ([kind, { count, names }]) => `${count} ${kind}${count === 1 ? '' : 's'}${inBrackets(names)}`,
  )
  const last = parts.pop()!
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

function inBrackets(names: readonly string[]): string {
  if (names.length === 0) return ''
  const shown = names.slice(0, MOST_NAMED).join(', ')
  return names.length > MOST_NAMED ? ` (${shown}, …)` : ` (${shown})`
}
