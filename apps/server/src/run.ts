import type { Terminal } from './commands/command.ts'
import { RELEASE } from './release.ts'

/** The terminal that the process was started from. */
export const TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}

/** Runs one command line and answers the exit code. */
export async function run(args: readonly string[], terminal: Terminal = TERMINAL): Promise<number> {
  if (args.includes('--version')) {
    terminal.out(`${RELEASE.version}\n`)
    return 0
  }
  // All else needs most of the program, which takes longer to load than this answer should.
  const { execute } = await import('./execute.ts')
  return execute(args, terminal)
}
