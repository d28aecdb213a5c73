import { brand } from '@svc/kernel'

/** What bounds a text, whoever wrote it and whatever it is filled with. */
export const TEXT_LIMITS = Object.freeze({
  /** Blocks inside one another. */
  levels: 10,
  /** Passes of all its loops. */
  passes: 50_000,
  /** Bytes of what is filled, in UTF-8. */
  bytes: 5 * 1024 * 1024,
})

/** A text that is filled grows past a limit. */
export class TextLimitError extends Error {
  static {
    brand(this, 'TextLimitError')
  }

  override readonly name = 'TextLimitError'
  readonly limit: keyof typeof TEXT_LIMITS

  constructor(limit: keyof typeof TEXT_LIMITS) {
    super(
      limit === 'bytes'
        ? `the text is longer than ${TEXT_LIMITS.bytes} bytes`
        : `the text has more than ${TEXT_LIMITS[limit]} ${limit}`,
    )
    this.limit = limit
  }
}
