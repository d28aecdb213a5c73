import type { Phase } from '@svc/kernel'
import { SeederCapability, type Summary, type Tally } from '@svc/seeder/contract'
import { configurationFile } from '../arguments.ts'
import { runBeside } from '../assemble.ts'
import { type Command, CONFIG } from './command.ts'

/** What a manifest needs: nothing listens. */
const PHASES: readonly Phase[] = ['store', 'auth', 'domain', 'seeder']

/** Applies the configured seed manifest, once, and tells what that did. */
export const seed: Command = {
  words: ['seed'],
  usage: ['--config <config.json>'],
  summary: 'apply the seed manifest and tell what that did',
  about: 'What exists already is skipped, so that it may be run again.',
  options: { config: CONFIG },
  run: (args, terminal) =>
    runBeside(
      configurationFile(args),
      PHASES,
      async (kernel) => {
        terminal.out(text(await kernel.get(SeederCapability).run()))
        return 0
      },
      // The start would apply the manifest, and the run would find everything there already.
      () => ({ seeder: { run_on_start: false } }),
    ),
}

function text({ roles, users, records }: Summary): string {
  const told = Object.entries({ roles, users, records }).map(
    ([what, { created, skipped }]: [string, Tally]) =>
      `${`${what}:`.padEnd(9)}${created} created, ${skipped} there already`,
  )
  return `${told.join('\n')}\n`
}
