import { typesOf } from '../typescript/types-of.ts'
import { type Command, LANGUAGE_CONFIG } from './command.ts'
import { withDefinition } from './definition-file.ts'
import { deliver } from './output.ts'

/** Prints TypeScript types of everything that a definition's API takes and answers. */
export const types: Command = {
  words: ['types'],
  usage: ['<definition> [--out <file>] [--config <config.json>]'],
  summary: 'print TypeScript types of the resources',
  about:
    'For each resource: what a client may send, and what it gets. For each endpoint of rules, workflows, schedules and other keys: what it takes and answers.',
  options: {
    out: { takes: '<file>', about: 'Write to this file' },
    config: LANGUAGE_CONFIG,
  },
  run: (args, terminal) =>
    withDefinition(args, terminal, ({ model }) => {
      deliver(typesOf(model), args, terminal)
      return 0
    }),
}
