/** What every answer says for itself, in place of whoever else says it. */
const OWN: ReadonlySet<string> = new Set(['x-request-id', 'content-type', 'content-length'])

/** Headers that many answers share. */
export class HeaderSet {
  /** Lower-case names and values in turn. */
  readonly list: readonly string[]
  readonly #names: ReadonlySet<string>

  constructor(headers: Readonly<Record<string, string>>) {
    this.list = Object.entries(headers).flat()
    this.#names = new Set(Object.keys(headers))
  }

  /**
   * Adds a header to an answer that has those of this set already: in the place of the one of that name, but for Vary,
   * which is said together. What each answer says for itself is passed over.
   */
  add(headers: string[], name: string, value: string): void {
    const key = lowerCase(name)
    if (OWN.has(key)) return
    if (!this.#names.has(key)) return void headers.push(name, value)
    const at = headers.indexOf(key) + 1
    headers[at] = key === 'vary' ? `${headers[at]}, ${value}` : value
  }
}

/** Names in lower case by how they were written. Far more than code writes. */
const MAX_KEPT = 200
const kept = new Map<string, string>()

function lowerCase(name: string): string {
  const known = kept.get(name)
  if (known !== undefined) return known
  const key = name.toLowerCase()
  if (kept.size < MAX_KEPT) kept.set(name, key)
  return key
}
