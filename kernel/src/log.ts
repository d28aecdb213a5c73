/** Writes one event with its fields; `fields` never holds a secret. */
type Write = (fields: object, event: string) => void

/** The part of a structured logger that plugins use; pino's loggers fit it. */
export interface Logger {
  readonly trace: Write
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  /** A logger that adds `fields` to every event. */
  child(fields: Record<string, unknown>): Logger
}

const drop: Write = () => undefined

/** A logger that keeps nothing. */
export const silentLogger: Logger = {
  trace: drop,
  debug: drop,
  info: drop,
  warn: drop,
  error: drop,
  child: () => silentLogger,
}
