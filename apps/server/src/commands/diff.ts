import { resolve } from 'node:path'
import { compareWithStore } from '@svc/domain/contract'
import { StoreCapability } from '@svc/store/contract'
import { UsageError } from '../arguments.ts'
import { runBeside } from '../assemble.ts'
import { type Command, CONFIG } from './command.ts'
import { comparisonText } from './comparison-text.ts'
import { definitionFile, withDefinition } from './definition-file.ts'

/** Tells what a definition would change in the configured store, and changes nothing. */
export const diff: Command = {
  words: ['diff'],
  usage: ['<definition> --config <config.json> [--exit-code]'],
  summary: 'tell what a definition would change in the store',
  about:
    'Compares with what the store of the configuration holds, and changes nothing. A step that loses data begins with `!`.',
  options: {
    config: CONFIG,
    'exit-code': { about: 'End with 1 where something would change' },
  },
  async run(args, terminal) {
    definitionFile(args)
    const config = args.options.get('config')
    if (config === undefined) throw new UsageError("'diff' needs '--config <config.json>'")
    return withDefinition(args, terminal, (read, language) =>
      runBeside(resolve(config), ['store'], async (kernel) => {
        const found = await compareWithStore(read, kernel.get(StoreCapability), language)
        terminal.out(comparisonText(found))
        return found.steps.length > 0 && args.flags.has('exit-code') ? 1 : 0
      }),
    )
  },
}
