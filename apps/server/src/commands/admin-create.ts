import { AccountsCapability } from '@svc/auth/contract'
import { configurationFile } from '../arguments.ts'
import { runBeside } from '../assemble.ts'
import { createAdministrator } from './administrator.ts'
import { type Command, CONFIG } from './command.ts'
import { shownPassword } from './password.ts'

/** Creates an administrator in the configured store and prints its password; it is shown this once. */
export const adminCreate: Command = {
  words: ['admin', 'create'],
  usage: ['--config <config.json> [--username <name>] [--email <address>] [--if-none]'],
  summary: 'create an administrator and print its password, once',
  about: 'Works beside the server, running or not: it needs the configuration and the database alone.',
  options: {
    config: CONFIG,
    username: { takes: '<name>', about: "The username; 'admin' unless said" },
    email: { takes: '<address>', about: 'The address; one of this machine unless said' },
    'if-none': { about: 'Do nothing where an active administrator exists' },
  },
  async run(args, terminal) {
    const username = args.options.get('username') ?? 'admin'
    return runBeside(configurationFile(args), ['store', 'auth'], async (kernel) => {
      const accounts = kernel.get(AccountsCapability)
      if (args.flags.has('if-none') && (await accounts.hasActiveAdmin())) return 0
      const { password } = await createAdministrator(accounts, username, args.options.get('email'))
      terminal.out(shownPassword('administrator', username, password))
      return 0
    })
  },
}
