import { resolve } from 'node:path'
import { compareWithStore, type Comparison } from '@svc/domain/contract'
import { StoreCapability } from '@svc/store/contract'
import { UsageError } from '../arguments.ts'
import { runBeside } from '../assemble.ts'
import type { Command } from './command.ts'
import { definitionFile, withDefinition } from './definition-file.ts'

/** Tells what a definition would change in the configured store, and changes nothing. */
export const diff: Command = {
  words: ['diff'],
  usage: ['<definition> --config <config.json>'],
  summary: 'tell what a definition would change in the store',
  options: ['config'],
  flags: [],
  async run(args, terminal) {
    definitionFile(args)
    const config = args.options.get('config')
    if (config === undefined) throw new UsageError("'diff' needs '--config <config.json>'")
    return withDefinition(args, terminal, (read, language) =>
      runBeside(resolve(config), ['store'], async (kernel) => {
        terminal.out(text(await compareWithStore(read, kernel.get(StoreCapability), language)))
        return 0
      }),
    )
  },
}

function text({ domain, fromVersion, toVersion, steps, messages }: Comparison): string {
  const from = fromVersion === null ? 'new' : `from ${fromVersion}`
  const shown = steps.flatMap(({ message, up, destructive, reversible }) => [
    `${destructive ? '!' : '+'} ${message}${reversible ? '' : ' (cannot be taken back)'}`,
    ...up.map((statement) => `    ${statement}`),
  ])
  return [
    `${domain}: ${from} to ${toVersion}, ${steps.length === 0 ? 'no changes' : `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`}`,
    ...shown,
    ...(messages.length > 0 ? ['This would lose data:', ...messages.map((one) => `  ${one}`)] : []),
    '',
  ].join('\n')
}
