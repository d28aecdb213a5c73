import { referenceOf, REDACTED, substituteVariables, type Variables } from '@svc/kernel'

/** A value that the definition names and never shows: `${VAR}` in its text. */
export interface Secret {
  /** As it is written: what may be kept and shown in its place. */
  readonly reference: string
  readonly variable: string
  /** Whether the variable is set; a default in its place is public, and counts for nothing. */
  readonly isConfigured: boolean
  /** The value, to be used at once and kept nowhere; undefined where it is not configured. */
  reveal(): string | undefined
  /** Nobody writes it down by accident. */
  toJSON(): string
}

/** The variables that a definition may read, for what is kept as it is written. */
export interface DefinitionVariables {
  /** A text with the values of its variables, and their defaults; undefined where one has neither. */
  fill(written: string): string | undefined
  /** What a text refers to that is one variable, with or without a default; undefined where it is anything else. */
  secret(written: string): Secret | undefined
  /** Hides the values of the variables in a text from now on, wherever the server logs, shows or keeps something. */
  hide(written: string): void
}

/** Makes the variables of a definition; `hide` is told of every value that is a secret. */
export function createDefinitionVariables(
  variables: Variables,
  hide: (secret: string) => void,
): DefinitionVariables {
  return Object.freeze({
    fill(written: string) {
      const { text, unset } = substituteVariables(written, variables)
      return unset.length > 0 ? undefined : text
    },
    secret(written: string) {
      const reference = referenceOf(written)
      if (reference === undefined) return undefined
      const reveal = () => variables(reference.name) || undefined
      const value = reveal()
      if (value !== undefined) hide(value)
      return Object.freeze({
        reference: written,
        variable: reference.name,
        isConfigured: value !== undefined,
        reveal,
        toJSON: () => REDACTED,
      })
    },
    hide(written: string) {
      substituteVariables(written, (name) => {
        const value = variables(name)
        if (value !== undefined) hide(value)
        return value
      })
    },
  })
}

/** Those of a definition that nobody put in force. */
export const NO_VARIABLES: DefinitionVariables = createDefinitionVariables(
  () => undefined,
  () => undefined,
)
