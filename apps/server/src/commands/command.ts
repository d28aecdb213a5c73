import type { Arguments } from '../arguments.ts'

/** Where a command writes. */
export interface Terminal {
  /** The answer. */
  out(text: string): void
  /** What went wrong. */
  err(text: string): void
}

/** Something that the program does. */
export interface Command {
  /** The words that call it; none for what the program does by itself. */
  readonly words: readonly string[]
  /** What may follow the words, as the help shows it; one line for each way to write it. */
  readonly usage: readonly string[]
  readonly summary: string
  /** Names of options that take a value. */
  readonly options: readonly string[]
  /** Names of options that take none. */
  readonly flags: readonly string[]
  /** Answers the exit code. Throws a UsageError where the arguments make no sense. */
  run(args: Arguments, terminal: Terminal): Promise<number>
}
