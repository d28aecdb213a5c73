import { AccountsCapability } from '@svc/auth/contract'
import { StartupError } from '@svc/kernel'
import { configurationFile, only } from '../arguments.ts'
import { runBeside } from '../assemble.ts'
import { type Command, CONFIG } from './command.ts'
import { newPassword, shownPassword } from './password.ts'

/** Gives a user of the configured store a new password, ends all of their sessions, and prints the password. */
export const adminResetPassword: Command = {
  words: ['admin', 'reset-password'],
  usage: ['<username> --config <config.json>'],
  summary: 'give a user a new password and print it, once',
  about: 'Every session of the user ends. Works beside the server, running or not.',
  options: { config: CONFIG },
  async run(args, terminal) {
    const name = only(args.words, 'username')
    const file = configurationFile({ ...args, words: [] })
    return runBeside(file, ['store', 'auth'], async (kernel) => {
      const accounts = kernel.get(AccountsCapability)
      const account = await accounts.find(name)
      if (account === undefined) {
        throw new StartupError('admin reset-password', `there is no user '${name}'`, 'Name another one')
      }
      const password = newPassword()
      await accounts.setPassword(account.id, password)
      terminal.out(shownPassword('user', account.username, password))
      return 0
    })
  },
}
