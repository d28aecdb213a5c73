import { brand } from './brand.ts'

/** Ends the start: which part failed, why, and what to do about it. */
export class StartupError extends Error {
  static {
    brand(this, 'StartupError')
  }

  override readonly name = 'StartupError'
  /** The plugin, or the part of the configuration, that failed. */
  readonly component: string
  readonly hint: string | undefined

  constructor(component: string, reason: string, hint?: string, cause?: unknown) {
    super(
      hint === undefined ? `${component}: ${reason}` : `${component}: ${reason}. ${hint}`,
      cause === undefined ? undefined : { cause },
    )
    this.component = component
    this.hint = hint
  }

  /** One error that tells of all of `errors`; a single one stays as it is. */
  static of(errors: readonly StartupError[]): StartupError {
    const [only, ...others] = errors
    if (only !== undefined && others.length === 0) return only
    const messages = errors.map(({ message }) => message).join('; ')
    return new StartupError('start', `${errors.length} faults: ${messages}`)
  }
}
