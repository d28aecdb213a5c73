import { languageSchema } from '@svc/domain/contract'
import { UsageError } from '../arguments.ts'
import { readerFor } from '../language.ts'
import { type Command, LANGUAGE_CONFIG } from './command.ts'
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
    config: LANGUAGE_CONFIG,
  },
  async run(args, terminal) {
    const [word] = args.words
    if (word !== undefined) throw new UsageError(`'schema' takes no '${word}'`)
    const { language } = await readerFor(args)
    const { extensions, types } = language
    const made = languageSchema(extensions, types.names)
    deliver(`${JSON.stringify(made, null, 2)}\n`, args, terminal)
    return 0
  },
}
