import { randomBytes } from 'node:crypto'
import { UsageError } from '../arguments.ts'
import type { Command } from './command.ts'

const ID = /^[\w.-]{1,32}$/

/** Prints a new key for fields that are encrypted. */
export const keysGenerate: Command = {
  words: ['keys', 'generate'],
  usage: ['[--id <id>]'],
  summary: 'print a new key for encrypted fields',
  about: `The key is 32 random bytes in base64, with its id before it. It is kept nowhere: put it into the variable or the file that
'privacy.encryption' of a definition names, before the key that is there, which may go after the next start. Without their key
encrypted values are lost: keep a copy where the database is not.`,
  options: {
    id: { takes: '<id>', about: 'The id: letters, digits, dots, dashes; the day of today unless said' },
  },
  run({ options }, terminal) {
    const id = options.get('id') ?? `k${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`
    if (!ID.test(id)) throw new UsageError(`'${id}' is no id: use 1 to 32 letters, digits, dots and dashes`)
    terminal.out(`${id}:${randomBytes(32).toString('base64')}\n`)
    return Promise.resolve(0)
  },
}
