import { writeFileSync } from 'node:fs'
import { StartupError } from '@svc/kernel'
import type { Arguments } from '../arguments.ts'
import type { Terminal } from './command.ts'

/** Writes what a command made to the file of `--out`, or else prints it. */
export function deliver(text: string, { options }: Arguments, terminal: Terminal): void {
  const file = options.get('out')
  if (file === undefined) return terminal.out(text)
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new StartupError('out', `'${file}' cannot be written: ${(error as Error).message}`)
  }
}
