import { randomBytes } from 'node:crypto'
import { AccountsCapability } from '@svc/auth/contract'
import { configurationFile } from '../arguments.ts'
import { assembleQuietly } from '../assemble.ts'
import type { Command } from './command.ts'

/** Creates an administrator in the configured store and prints its password; it is shown this once. */
export const adminCreate: Command = {
  words: ['admin', 'create'],
  usage: ['--config <config.json> [--username <name>] [--email <address>] [--if-none]'],
  summary: 'create an administrator and print its password, once',
  options: ['config', 'username', 'email'],
  flags: ['if-none'],
  async run(args, terminal) {
    const username = args.options.get('username') ?? 'admin'
    const email = args.options.get('email') ?? `${username}@localhost.localdomain`
    const { kernel, close } = await assembleQuietly(configurationFile(args), ['store', 'auth'])
    try {
      await kernel.start()
      const accounts = kernel.get(AccountsCapability)
      if (args.flags.has('if-none') && (await accounts.hasActiveAdmin())) return 0
      const password = newPassword()
      await accounts.create({ username, email, password, roles: ['admin'], verified: true })
      terminal.out(
        `administrator: ${username}\npassword:      ${password}\nIt is shown this once: keep it, or change it with POST /api/v1/auth/change-password.\n`,
      )
      return 0
    } finally {
      await kernel.stop()
      close()
    }
  },
}

/** 120 random bits, with one character of each kind that the password policy asks for. */
const newPassword = (): string => `${randomBytes(15).toString('base64url')}-aA1`
