/** The largest text of a definition, and the largest document that its parts may expand to, in bytes. */
export const MAX_SIZE = 5 * 1024 * 1024

/** The deepest nesting of maps and lists. */
export const MAX_DEPTH = 100

/** The most values that one text may hold: it bounds memory and time, which a text of brackets and commas multiplies. */
export const MAX_VALUES = 150_000

/** The longest line of YAML, in characters: no parser of it is fast on more. */
export const MAX_LINE = 1024 * 1024

/** The most entries that one map or list may have; no store has tables as wide, and nobody reads lists as long. */
export const MAX_ENTRIES = 5_000

/** The most resources of a domain, and fields of a resource: every store has tables that wide, none has wider by far. */
export const MAX_RESOURCES = 1_000
export const MAX_FIELDS = 1_000

/** The most keys that nobody knows; a text with more is written in another language. */
export const MAX_UNKNOWN = 1_000

/** The most problems, and the most warnings, that are reported of one definition. */
export const MAX_PROBLEMS = 100

export const TOO_LARGE = 'The definition expands to more than 5 MiB'
export const TOO_DEEP = `The definition is nested deeper than ${MAX_DEPTH} levels`
export const TOO_LONG = `A map or a list has more than ${MAX_ENTRIES} entries`
export const UNCLEAN = 'The text has a NUL or half of a surrogate pair, which no store keeps'

/** What a value weighs besides its text: about the memory of the value itself, in bytes. */
export const VALUE_WEIGHT = 16

/**
 * Adds up what a document expands to, where shared parts count each time that they are used: for a value
 * `VALUE_WEIGHT`, for a key one, and for both the length of their text.
 */
export class Budget {
  #spent = 0

  get spent(): number {
    return this.#spent
  }

  /** Adds `weight`; false once the document has grown past `MAX_SIZE`. */
  spend(weight: number): boolean {
    this.#spent += weight
    return this.#spent <= MAX_SIZE
  }
}
