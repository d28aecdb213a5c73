import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { compareWithStore } from '@svc/domain/contract'
import type { Kernel } from '@svc/kernel'
import { StoreCapability } from '@svc/store/contract'
import { UsageError } from '../arguments.ts'
import { type Chosen, runBeside } from '../assemble.ts'
import { withEmptyStore } from '../empty-store.ts'
import { BUILT_IN } from '../plugins.ts'
import { type Command, CONFIG } from './command.ts'
import { comparisonText } from './comparison-text.ts'
import { definitionFile, withDefinition } from './definition-file.ts'

/** Tells what a definition would change in the configured store, and changes nothing. */
export const diff: Command = {
  words: ['diff'],
  usage: ['<definition> --config <config.json> [--exit-code]'],
  summary: 'tell what a definition would change in the store',
  about:
    'Compares with what the store of the configuration holds, and changes nothing. Where there is no database file yet it compares with an empty one, and makes none. A step that loses data begins with `!`.',
  options: {
    config: CONFIG,
    'exit-code': { about: 'End with 1 where something would change' },
  },
  async run(args, terminal) {
    definitionFile(args)
    const config = args.options.get('config')
    if (config === undefined) throw new UsageError("'diff' needs '--config <config.json>'")
    return withDefinition(args, terminal, (read, language) => {
      const compare = async (kernel: Kernel) => {
        const found = await compareWithStore(read, kernel.get(StoreCapability), language)
        terminal.out(comparisonText(found))
        return found.steps.length > 0 && args.flags.has('exit-code') ? 1 : 0
      }
      return withEmptyStore((empty) =>
        runBeside(resolve(config), ['store'], compare, (chosen) => {
          const missing = missingFile(chosen)
          if (missing === undefined) return {}
          terminal.err(`there is no database '${missing}' yet: everything is compared with an empty one\n`)
          return { sqlite: empty }
        }),
      )
    })
  },
}

/** The file of the database where it is one that is not there. */
function missingFile({ plugins, sections }: Chosen): string | undefined {
  const sqlite = BUILT_IN['sqlite']!
  if (!plugins.includes(sqlite)) return undefined
  const path: unknown = Object(sqlite.config?.safeParse(sections['sqlite'] ?? {}).data)['path']
  return typeof path === 'string' && !existsSync(path) ? path : undefined
}
