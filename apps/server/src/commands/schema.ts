import { languageSchema } from '@svc/domain/contract'
import { UsageError } from '../arguments.ts'
import { languageFor } from '../language.ts'
import type { Command } from './command.ts'
import { deliver } from './output.ts'

/** Prints the JSON Schema of the definition language, for editors. */
export const schema: Command = {
  words: ['schema'],
  usage: ['[--out <file>] [--config <config.json>]'],
  summary: 'print the JSON Schema of definitions, for editors',
  options: ['out', 'config'],
  flags: [],
  async run(args, terminal) {
    const [word] = args.words
    if (word !== undefined) throw new UsageError(`'schema' takes no '${word}'`)
    const { extensions, types } = await languageFor(args)
    const made = languageSchema(extensions, types.names)
    deliver(`${JSON.stringify(made, null, 2)}\n`, args, terminal)
    return 0
  },
}
