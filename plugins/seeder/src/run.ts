import { variablesOf } from '@svc/kernel'
import type { Summary } from './contract.ts'
import { parseManifest } from './manifest.ts'
import { planData, seedData } from './phases/data.ts'
import { seedRoles } from './phases/roles.ts'
import { seedUsers } from './phases/users.ts'
import type { Run, Tools } from './phases/run.ts'
import { readSource } from './read.ts'

/** Applies a seed manifest. All that can be checked without writing is checked first. Throws a StartupError. */
export async function runManifest(file: string, tools: Tools): Promise<Summary> {
  const source = await readSource(file)
  const manifest = parseManifest(source, variablesOf(process.env))
  const run: Run = { ...tools, source, manifest }
  const data = planData(run)
  const summary = {
    // Users hold roles,
    roles: await seedRoles(run),
    // and records belong to users.
    users: await seedUsers(run),
    records: await seedData(data, run),
  }
  tools.log.info(summary, 'seeder.done')
  return summary
}
