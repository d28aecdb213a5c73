import { typesOf } from '../typescript/types-of.ts'
import type { Command } from './command.ts'
import { withDefinition } from './definition-file.ts'
import { deliver } from './output.ts'

/** Prints TypeScript types of everything that a definition's API takes and answers. */
export const types: Command = {
  words: ['types'],
  usage: ['<definition> [--out <file>] [--config <config.json>]'],
  summary: 'print TypeScript types of the resources',
  options: ['out', 'config'],
  flags: [],
  run: (args, terminal) =>
    withDefinition(args, terminal, ({ model }) => {
      deliver(typesOf(model), args, terminal)
      return 0
    }),
}
