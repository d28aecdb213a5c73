import type { Tally } from '../contract.ts'
import { isThereAlready, reasonOf, tally } from '../tally.ts'
import type { Run } from './run.ts'

/**
 * Makes the users of the manifest. Their roles and verification are given in the step that makes the account: a
 * crash leaves nobody without them, and an account that somebody else made first gets nothing.
 */
export const seedUsers = ({ manifest, accounts, source, log }: Run): Promise<Tally> =>
  tally([...manifest.users.entries()], async ([at, user]) => {
    const existing = await accounts.find(user.username)
    if (existing !== undefined) {
      if (existing.origin !== 'seeded') log.warn({ username: user.username }, 'seeder.user_not_ours')
      return 'skip'
    }
    try {
      await accounts.create({ ...user, origin: 'seeded' })
      return undefined
    } catch (error) {
      if (!isThereAlready(error)) {
        throw source.fault(['users', at], `user '${user.username}': ${reasonOf(error)}`)
      }
      log.warn({ username: user.username }, 'seeder.user_not_ours')
      throw error
    }
  })
