import { languageSchema } from '@svc/domain/contract'
import { UsageError } from '../arguments.ts'
import { languageFor } from '../language.ts'
import { type Command, CONFIG } from './command.ts'
import { deliver } from './output.ts'

/** Prints the JSON Schema of the definition language, for editors. */
export const schema: Command = {
  words: ['schema'],
  usage: ['[--out <file>] [--config <config.json>]'],
  summary: 'print the JSON Schema of definitions, for editors',
  about:
    'Editors complete and check definitions by it: begin a definition with `# yaml-language-server: $schema=<file>`.',
  options: {
    out: { takes: '<file>', about: 'Write to this file' },
    config: { ...CONFIG, about: 'Include what the plugins of this configuration add' },
  },
  async run(args, terminal) {
    const [word] = args.words
    if (word !== undefined) throw new UsageError(`'schema' takes no '${word}'`)
    const { extensions, types } = await languageFor(args)
    const made = languageSchema(extensions, types.names)
    deliver(`${JSON.stringify(made, null, 2)}\n`, args, terminal)
    return 0
  },
}
