/** Texts in their locales, by tag in lower case, in the order in which they are written. */
export type ByTag = ReadonlyMap<string, string>

/** One source of texts: what it has for a key, nothing where it has none. */
export interface Layer {
  of(key: string): ByTag
  /** Every key that it has something for. */
  keys(): Iterable<string>
}

export const NONE: ByTag = new Map()
