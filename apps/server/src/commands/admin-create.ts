import { AccountsCapability } from '@svc/auth/contract'
import { configurationFile } from '../arguments.ts'
import { runBeside } from '../assemble.ts'
import type { Command } from './command.ts'
import { newPassword, shownPassword } from './password.ts'

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
    return runBeside(configurationFile(args), ['store', 'auth'], async (kernel) => {
      const accounts = kernel.get(AccountsCapability)
      if (args.flags.has('if-none') && (await accounts.hasActiveAdmin())) return 0
      const password = newPassword()
      await accounts.create({ username, email, password, roles: ['admin'], verified: true })
      terminal.out(shownPassword('administrator', username, password))
      return 0
    })
  },
}
