import type { Arguments, Options } from '../arguments.ts'
import { USUAL_CONFIG } from '../configuration.ts'

/** Where a command writes. */
export interface Terminal {
  /** The answer. */
  out(text: string): void
  /** What went wrong. */
  err(text: string): void
  /** What the block at the end of a start shows beside its own lines, each under a label. */
  readonly notes?: readonly Note[]
  /** How a command on the same configuration is written here, where that is not by calling the program with it. */
  commandLine?(words: string): string
}

export type Note = readonly [label: string, text: string]

/** Something that the program does. */
export interface Command {
  /** The words that call it; none for what the program does by itself. */
  readonly words: readonly string[]
  /** What may follow the words, as the help shows it; one line for each way to write it. */
  readonly usage: readonly string[]
  readonly summary: string
  /** What else there is to know, in whole sentences. */
  readonly about: string
  readonly options: Options
  /** Answers the exit code. Throws a UsageError where the arguments make no sense. */
  run(args: Arguments, terminal: Terminal): Promise<number>
}

/** Options that several commands have. */
export const CONFIG = { takes: '<config.json>', about: 'The configuration file' } as const

/** The option of commands that read definitions as the server of a configuration does, where there is one. */
export const LANGUAGE_CONFIG = {
  ...CONFIG,
  about: `Read with the plugins of this configuration and the variables of its '.env'; '${USUAL_CONFIG}' where it is in this folder, unless said`,
} as const
