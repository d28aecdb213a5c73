import { AccountsCapability } from '@svc/auth/contract'
import { definePlugin } from '@svc/kernel'
import { config } from './config.ts'
import { SeederCapability } from './contract.ts'
import { assertReadable } from './read.ts'
import { createSeeder } from './seeder.ts'

/** Brings the roles, users and records of a manifest into being before the first request. */
export const seeder = definePlugin({
  name: 'seeder',
  phase: 'seeder',
  config,
  requires: { accounts: AccountsCapability },
  provides: SeederCapability,
  async check({ config: { enabled, run_on_start, seed_file } }) {
    if (enabled && run_on_start && seed_file !== undefined) await assertReadable(seed_file)
  },
  setup(context) {
    const own = createSeeder(context.config, context)
    if (context.config.enabled && context.config.run_on_start)
      context.onOpen(async () => void (await own.run()))
    return own
  },
})
