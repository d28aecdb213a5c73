import type { Accounts } from '@svc/auth/contract'
import { type Context, variablesOf } from '@svc/kernel'
import type { Summary } from './contract.ts'
import { type Manifest, parseManifest } from './manifest.ts'
import { type DataPlan, planData, seedData } from './phases/data.ts'
import { seedRoles } from './phases/roles.ts'
import { seedUsers } from './phases/users.ts'
import { readSource, type Source } from './read.ts'

/** What a run works with. */
export interface Tools extends Pick<Context, 'actions' | 'call' | 'log'> {
  readonly accounts: Accounts
}

/** One run of a manifest. */
export interface Run extends Tools {
  readonly source: Source
  readonly manifest: Manifest
  readonly data: DataPlan
}

/** Applies a seed manifest. All that can be checked without writing is checked first. Throws a StartupError. */
export async function runManifest(file: string, tools: Tools): Promise<Summary> {
  const source = await readSource(file)
  const manifest = parseManifest(source, variablesOf(process.env))
  const run: Run = { ...tools, source, manifest, data: planData({ ...tools, source, manifest }) }
  const summary = {
    // Users hold roles,
    roles: await seedRoles(run),
    // and records belong to users.
    users: await seedUsers(run),
    records: await seedData(run),
  }
  tools.log.info(summary, 'seeder.done')
  return summary
}
