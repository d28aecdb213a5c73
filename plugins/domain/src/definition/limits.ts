/** The largest text of a definition, and the largest document that its parts may expand to, in bytes. */
export const MAX_SIZE = 5 * 1024 * 1024

/** The deepest nesting of maps and lists. */
export const MAX_DEPTH = 100

/** The most values that one text may hold: it bounds memory, which a text of brackets and commas multiplies. */
export const MAX_VALUES = 500_000

/** The most problems, and the most warnings, that are reported of one definition. */
export const MAX_PROBLEMS = 200

export const TOO_LARGE = 'The definition expands to more than 5 MiB'
export const TOO_DEEP = `The definition is nested deeper than ${MAX_DEPTH} levels`
export const UNCLEAN = 'The text has a NUL or half of a surrogate pair, which no store keeps'

/**
 * Adds up what a document expands to, where shared parts count each time that they are used. A value weighs
 * one, a key one, and both the length of their text, so that a text without shared parts weighs no more than it is long.
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
