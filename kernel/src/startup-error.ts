/** Ends the start: which part failed, why, and what to do about it. */
export class StartupError extends Error {
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
}
