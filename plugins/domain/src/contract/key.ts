declare const made: unique symbol

/** A key of the language, and the type of what its block makes for the blocks that come after it. */
export interface BlockKey<M> {
  readonly key: string
  /** Never there: it carries the type alone. */
  readonly [made]?: M
}

/**
 * Names what the block of a key makes. The plugin that owns the key exports it from its contract; others hand it to
 * `site.made`.
 */
export const blockKey = <M>(key: string): BlockKey<M> => Object.freeze({ key })
